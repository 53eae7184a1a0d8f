package questions

import (
	"encoding/base64"
	"mime"
	"strings"

	"go.starlark.net/starlark"
)

// The content blocks of the protocol, as messages to a model and its answers
// hold them.

const blockExample = `a content block such as {"type": "text", "text": "..."} or text("...")`

var (
	// sampledBlock is what a sampling message may hold.
	sampledBlock = tagged(blockExample, textBlock, imageBlock, audioBlock, toolUseBlock, toolResultBlock)

	// plainBlock is what a model may answer that was given no tools.
	plainBlock = tagged(blockExample, textBlock, imageBlock, audioBlock)

	// resultBlock is what a tool's result may hold, and so a tool_result block.
	resultBlock = tagged(blockExample, textBlock, imageBlock, audioBlock, resourceLinkBlock, resourceBlock)
)

var role = oneOf(map[string]string{
	"system": "instructions go in system_prompt =",
	"tool":   `a tool's result is a "user" message with tool_result content`,
	"model":  `the model's own turns are "assistant"`,
}, "user", "assistant")

var meta = optional("_meta", anyDict("a dict"))

var annotations = optional("annotations", record("a dict",
	optional("audience", listOf("a list of roles", role)),
	optional("priority", portion),
	optional("lastModified", text("a time as text")),
))

var textBlock = kind("text", required("text", text("text")), annotations, meta)

var imageBlock = kind("image",
	required("data", base64Data), required("mimeType", mimeType("image/", "image/png")), annotations, meta)

var audioBlock = kind("audio",
	required("data", base64Data), required("mimeType", mimeType("audio/", "audio/wav")), annotations, meta)

var toolUseBlock = kind("tool_use",
	required("id", text("the id of the tool use, as text")),
	required("name", text("the tool's name")),
	required("input", anyDict("a dict with the tool's arguments")),
	meta)

var toolResultBlock = kind("tool_result",
	required("toolUseId", text("the id of the tool_use block that it answers")),
	required("content", listOf("a list of content blocks", resultBlock)),
	optional("structuredContent", anything),
	optional("isError", boolean),
	meta)

var resourceLinkBlock = kind("resource_link",
	required("uri", text("a URI")),
	required("name", text("text")),
	optional("title", text("text")),
	optional("description", text("text")),
	optional("mimeType", text("text")),
	optional("size", number),
	optional("icons", listOf("a list of icons", anyDict("a dict"))),
	annotations, meta)

var resourceBlock = kind("resource", required("resource", resourceContents), annotations, meta)

// resourceContents are bytes if they have a blob, else text.
func resourceContents(v starlark.Value, how direction) (starlark.Value, *misfit) {
	if dict, ok := v.(*starlark.Dict); ok && get(dict, "blob") != nil {
		return blobContents(v, how)
	}
	return textContents(v, how)
}

var (
	textContents = contents("text", text("text"))
	blobContents = contents("blob", base64Data)
)

func contents(name string, s shape) shape {
	return record("a dict", required("uri", text("a URI")), required(name, s), optional("mimeType", text("text")), meta)
}

// base64Data is checked in what an author writes: a client would pass it on and
// the model's provider would refuse it, far from the mistake.
var base64Data = textThat("base64 text", func(s string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && !strings.ContainsAny(s, "\r\n")
})

func mimeType(family, example string) shape {
	return textThat(`a MIME type such as "`+example+`"`, func(s string) bool {
		parsed, _, err := mime.ParseMediaType(s)
		return err == nil && strings.HasPrefix(parsed, family) && parsed != family
	})
}
