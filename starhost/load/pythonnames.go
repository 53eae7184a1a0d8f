package load

// pythonName is what to write instead of a name that people bring from Python,
// or from its MCP SDK, and that scripts don't have; "" for other names.
func pythonName(name string) string {
	switch name {
	case "Exception", "BaseException", "ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError", "ToolError", "McpError", "MCPError":
		return "there are no exceptions: end a call with `fail(\"text\")`, and use `attempt(fn, ...)` where one may fail"
	case "super", "self", "cls", "object", "property", "staticmethod", "classmethod":
		return "there are no classes: declare records with `model()`, and write plain functions"
	case "open", "os", "sys", "pathlib", "Path", "subprocess", "shutil":
		return "scripts can't reach files or processes"
	case "map":
		return "write a comprehension: `[f(x) for x in xs]`"
	case "filter":
		return "write a comprehension: `[x for x in xs if p(x)]`"
	case "iter", "next":
		return "there are no iterators: write a for loop, or `xs[0]`"
	case "input":
		return "ask with a question: `return elicit(\"...\", Model)` in a resolver"
	case "Elicit", "ElicitationResult", "AcceptedElicitation":
		return "write `elicit(message, Model)`, and `x: resolve(fn, outcome = True)` for the whole outcome"
	case "Sample":
		return "write `sample(prompt, max_tokens = ...)`"
	case "ListRoots":
		return "write `list_roots()`"
	case "Resolve", "Annotated", "Depends":
		return "write `x: resolve(fn)`"
	case "Field":
		return "write `field(T, description = ...)`"
	case "BaseModel", "dataclass", "TypedDict", "NamedTuple", "namedtuple":
		return "declare records with a model: `Stock = model(title = str, copies = int)`"
	case "struct":
		return "declare records with a model: `Stock = model(title = str)`; or write a dict"
	case "Literal", "Enum", "StrEnum":
		return "write `enum(\"a\", \"b\")`"
	case "Optional", "Union":
		return "write `T | None`"
	case "List", "Sequence":
		return "write `list[T]`"
	case "Dict", "Mapping":
		return "write `dict[str, T]`"
	case "Any":
		return "write `any`, in lower case"
	case "Context":
		return "a parameter named `ctx` is the context"
	case "FastMCP", "MCPServer", "mcp", "app":
		return "there is no server object: write `server(name = \"...\")`, and `tool(fn)` below each function"
	case "frozenset":
		return "write `set(...)`, or a tuple"
	case "complex", "Decimal", "Fraction":
		return "numbers are int and float"
	case "string", "String":
		return "write `str`"
	case "integer", "Integer":
		return "write `int`"
	case "number", "Number", "double":
		return "write `float`, or `int`"
	case "boolean", "Boolean":
		return "write `bool`"
	case "array", "Array":
		return "write `list[T]`"
	case "null", "nil", "NULL":
		return "write `None`"
	case "true", "TRUE":
		return "write `True`"
	case "false", "FALSE":
		return "write `False`"
	case "logging", "logger", "console":
		return "write to the client with `ctx.log(\"info\", data)`, to the server's stderr with `print(...)`"
	case "datetime", "date", "timedelta":
		return "see the module time: `time.now()`, `time.parse_duration(...)`"
	case "requests", "httpx", "urllib", "aiohttp":
		return "scripts have no module of that name"
	case "asyncio":
		return "nothing is asynchronous: call the function, and resolvers that don't need each other may run at once"
	case "re", "regex":
		return "scripts have no regular expressions; `field(str, pattern = ...)` checks an argument"
	case "typing", "pydantic":
		return "types need no import: `str`, `list[T]`, `T | None`, `model(...)`"
	case "__name__", "__file__", "__doc__":
		return "a script is only ever loaded; declare tools at its top"
	}
	return ""
}
