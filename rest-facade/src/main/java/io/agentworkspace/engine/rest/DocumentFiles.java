package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.upload.FileTransfer;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The files of documents. They are stored while they arrive and sent as they are read, so that none is ever in memory
 * as a whole.
 */
final class DocumentFiles {
    private static final String PART = "part";

    /** The most that a form has around the file, in bytes. */
    private static final int FRAME = 64 * 1024;

    /** The maximum duration of an upload. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final ToolRunner runner;
    private final FileTransfer transfer;

    DocumentFiles(ToolRunner runner, FileTransfer transfer) {
        this.runner = runner;
        this.transfer = transfer;
    }

    /** Returns whether the request carries a file for a tool that takes one. */
    boolean isUpload(Tool<?, ?> tool) {
        var upload = tool.upload();
        return upload != null && upload.isStored() && (isForm() || isRaw(upload));
    }

    private static boolean isForm() {
        return type().equals(UploadBody.FORM);
    }

    private static boolean isRaw(Route.Upload upload) {
        return type().equals(upload.mediaType());
    }

    static String type() {
        var type = RestExchange.current().contentType();
        return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Receives the file, then runs the tool with its other fields. Callers that may not run it are refused before
     * they send the file.
     */
    Response receive(Tool<?, ?> tool, ContainerRequestContext context, Function<ObjectNode, Response> run) {
        var exchange = RestExchange.current();
        var caller = exchange.identified();
        exchange.checkMayRun(Optional.of(tool), Json.object());
        caller.obstacle(tool, Json.object()).ifPresent(note -> {
            throw Problem.notPermitted(note);
        });
        if (exchange.bodyLength() > Upload.MAX_BYTES + FRAME) {
            throw Problem.tooLarge("the file", exchange.bodyLength(), Upload.MAX_BYTES, "bytes");
        }
        JsonBody.requirePlain();
        var intake = transfer.begin(caller);
        try {
            var arguments = Json.object();
            var sent = receive(tool, context.getEntityStream(), arguments, intake);
            if (sent.name() != null && !arguments.has("name")) {
                arguments.put("name", withoutFolder(sent.name()));
            }
            var upload =
                    intake.finish().withCharset(Upload.charset(sent.mediaType()).orElse(null));
            if (!arguments.has("sha256")) {
                arguments.put("sha256", upload.sha256());
            }
            return ScopedValue.where(Upload.CURRENT, upload).call(() -> run.apply(arguments));
        } finally {
            intake.abandon();
        }
    }

    private static FileForm.SentFile receive(
            Tool<?, ?> tool, InputStream body, ObjectNode arguments, FileTransfer.Intake intake) {
        var deadline = System.nanoTime() + LONGEST.toNanos();
        FileForm.Sink sink = (bytes, length) -> {
            if (System.nanoTime() - deadline > 0) {
                throw new Problem(
                        Failure.BAD_REQUEST,
                        "the file did not arrive within %d minutes".formatted(LONGEST.toMinutes()));
            }
            intake.write(bytes, length);
        };
        try {
            if (isForm()) {
                var type = Objects.requireNonNull(RestExchange.current().contentType());
                return FileForm.read(body, type, fields(tool), arguments, sink);
            }
            var piece = new byte[64 * 1024];
            for (var count = body.read(piece); count >= 0; count = body.read(piece)) {
                sink.write(piece, count);
            }
            return new FileForm.SentFile(null, RestExchange.current().contentType());
        } catch (IOException | HttpException.RuntimeException e) {
            throw new Problem(Failure.BAD_REQUEST, "the body ended too early; send the whole body");
        }
    }

    /** Returns the fields that a form may have besides the file. */
    private static Set<String> fields(Tool<?, ?> tool) {
        return Field.of(tool.inputSchema().json()).stream()
                .map(Field::path)
                .filter(path -> !path.equals("text") && !path.equals("base64"))
                .collect(Collectors.toSet());
    }

    private static String withoutFolder(String name) {
        return name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
    }

    /** Returns whether the request is for a document's file rather than its record. */
    static boolean isDownload(Tool<?, ?> tool, ContainerRequestContext context) {
        return tool.hasFile()
                && "file".equals(context.getUriInfo().getQueryParameters().getFirst(PART));
    }

    /** Sends the file of a document that the caller may read with the tool. */
    Response send(Tool<?, ?> tool, ContainerRequestContext context) {
        var exchange = RestExchange.current();
        QueryFields.refuseUnknown(context, Set.of(PART, "version"));
        var arguments =
                Json.object().put("id", context.getUriInfo().getPathParameters().getFirst("id"));
        var version = context.getUriInfo().getQueryParameters().getFirst("version");
        if (version != null) {
            arguments.put("version", number(version));
        }
        var answer = exchange.run(runner, tool.name(), arguments, true);
        if (answer.problem() != null) {
            throw answer.problem();
        }
        var document = answer.envelope().path("document");
        var tag = "\"sha256:%s\"".formatted(document.path("sha256").asString());
        if (exchange.has(tag)) {
            return Response.notModified().header(HttpHeaders.ETAG, tag).build();
        }
        var caller = exchange.identified();
        StreamingOutput file = to -> transfer.copy(caller, document.path("id").asString(), to);
        return Response.ok(file, type(document.path("media_type").asString("")))
                .header(HttpHeaders.CONTENT_LENGTH, document.path("size").asLong())
                .header(HttpHeaders.ETAG, tag)
                .header(HttpHeaders.CACHE_CONTROL, "no-cache")
                .header(
                        HttpHeaders.CONTENT_DISPOSITION,
                        "attachment; filename*=UTF-8''"
                                + encoded(document.path("name").asString()))
                .build();
    }

    private static long number(String version) {
        try {
            return Long.parseLong(version);
        } catch (NumberFormatException e) {
            throw Problem.invalid("version", "must be an integer");
        }
    }

    /**
     * Returns the media type to send. The response is always an attachment, and HTML is sent as
     * {@code application/octet-stream}, so that no browser runs it.
     */
    private static String type(@Nullable String mediaType) {
        return mediaType == null || mediaType.isEmpty() || mediaType.equals("text/html")
                ? "application/octet-stream"
                : mediaType;
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }
}
