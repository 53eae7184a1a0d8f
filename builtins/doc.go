// Package builtins is everything that a script finds there without loading it:
// the words of the language.
//
// Each family of words is a package of its own with the same small shape, a
// function Words that gives predeclared names without state:
//
//   - types: str, list, enum, model, field, ... and what they accept
//   - declare: tool, prompt, resource, completion, server, lifespan, every, resolve
//   - questions: elicit, elicit_url, sample, list_roots, input_required
//   - content: image, audio, embed, link, user, assistant
//   - result: result
//   - dialect: what Python people reach for, text, attempt, fail, json, math
//   - clock: time, random, uuid
//   - store: state that may change
//
// What belongs to a call is not a word but the parameter ctx: package callctx.
// How a tool's result becomes protocol JSON is package result.
//
// Words find what they need to know about the running call in [engine.ScopeOf].
// They may import engine, never starhost. Start reading at [Words].
package builtins
