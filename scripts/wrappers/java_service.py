"""The classes of the Java client for the services of the contract."""

from google.protobuf.descriptor import ServiceDescriptor
from scripts.wrappers.java_file import IN, File
from scripts.wrappers.java_layout import escaped, javadoc, listed
from scripts.wrappers.prose import Prose
from scripts.wrappers.wrapped import Wrapped


def service_class(service: ServiceDescriptor, wrapped: Wrapped, prose: Prose) -> str:
    """Return the class of a service whose methods take requests of the contract."""
    name, file = service.name, File(f"protos/{service.file.name}")
    file.use(f"{name}Grpc")
    said = (
        f"The methods of {name}, with requests and responses of the contract. Each throws {{@link "
        "io.memoryd.client.error.CallFailedException} if the daemon refuses or cannot be reached; a future "
        "completes exceptionally with it, and to cancel a future is to cancel its call."
    )
    timeout = "Returns the same service with another timeout than the client's, for a call with all its retries."
    body = [
        *javadoc("", said),
        f"public final class {name} extends Service {{",
        f"{IN}{name}(Connection connection, CallTimeout timeout) {{",
        f"{IN * 2}super(connection, timeout);",
        f"{IN}}}",
        "",
        *javadoc(IN, timeout),
        f"{IN}public {name} withTimeout(Duration timeout) {{",
        f"{IN * 2}return new {name}(connection(), CallTimeout.of(timeout));",
        f"{IN}}}\n",
    ]
    for rpc in service.methods:
        # A watch and the streams of requests are by hand.
        if rpc.client_streaming or rpc.name == "WatchEvents":
            continue
        request, response = file.use(rpc.input_type.name), file.use(rpc.output_type.name)
        said = prose.method(rpc.name, escaped(wrapped.comment(rpc)))
        method, called = rpc.name[:1].lower() + rpc.name[1:], f"{name}Grpc.get{rpc.name}Method()"
        if rpc.server_streaming:
            said += " Closing the stream cancels the call. It has no timeout unless it is given one."
        forms = [("", f"Stream<{response}>" if rpc.server_streaming else response, said)]
        if not rpc.server_streaming:
            again = f"Begins what {{@link #{method}({request})}} does."
            forms.append(("Async", f"CompletableFuture<{response}>", again))
        for suffix, returned, comment in forms:
            call = "stream" if rpc.server_streaming else "begin" if suffix else "call"
            body += javadoc(IN, comment)
            body += listed(IN, f"public {returned} {method}{suffix}(", [f"{request} request"], ") {")
            body += listed(IN * 2, f"return {call}(", [called, "request"], ");")
            body.append(f"{IN}}}\n")
    return file.text([*body, "}"])
