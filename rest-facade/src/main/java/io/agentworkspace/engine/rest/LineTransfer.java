package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.upload.FileStream;
import io.agentworkspace.engine.rest.files.PageWriter;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * Files of any length that tools write page by page, or read while they arrive. No call runs while the
 * client is waited for.
 */
final class LineTransfer {
    static final String JSON_LINES = "application/x-ndjson";

    /** The largest page: fewer calls for the same file. */
    private static final int PAGE = 200;

    /** How many zips are sent at once: each holds the list of its files in memory until its end. */
    private static final Semaphore ZIPS = new Semaphore(8);

    private LineTransfer() {}

    /** Returns whether the request is for all pages as lines. A client that accepts only JSON gets one page. */
    static boolean isDownload(Tool<?, ?> tool) {
        return tool.hasLines() && !RestExchange.current().acceptsOnlyJson();
    }

    /** Makes the request's page the largest, unless it says how large it is. */
    static void widen(ObjectNode arguments) {
        var page = arguments.get("page") instanceof ObjectNode object ? object : arguments.putObject("page");
        if (!page.has("limit")) {
            page.put("limit", PAGE);
        }
    }

    /**
     * Sends the file that the first answer, and those that follow it, contain. If a page is refused, the connection is closed
     * before the end, since the file would be incomplete.
     *
     * @param run runs the tool for another page
     */
    static Response send(Answer first, ObjectNode arguments, Function<ObjectNode, Answer> run) {
        var exchange = RestExchange.current();
        var mediaType = first.envelope().path("media_type").asString(JSON_LINES);
        var isZip = mediaType.equals(PageWriter.ZIP);
        if (isZip && ZIPS.availablePermits() == 0) {
            throw new Problem(Failure.UNAVAILABLE, "too many folders are being sent; try again later");
        }
        StreamingOutput pages = to -> write(exchange, PageWriter.of(mediaType, to), first, arguments, run);
        return Response.ok(isZip ? limited(exchange, pages) : pages, mediaType)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header(HttpHeaders.CONTENT_DISPOSITION, "attachment")
                .build();
    }

    private static StreamingOutput limited(RestExchange exchange, StreamingOutput zip) {
        return to -> {
            if (!ZIPS.tryAcquire()) {
                exchange.abort();
                throw new IOException("too many folders are being sent");
            }
            try {
                zip.write(to);
            } finally {
                ZIPS.release();
            }
        };
    }

    private static void write(
            RestExchange exchange,
            PageWriter file,
            Answer first,
            ObjectNode arguments,
            Function<ObjectNode, Answer> run)
            throws IOException {
        try (file) {
            var answer = first;
            while (true) {
                write(exchange, file, answer);
                var next = answer.envelope().path("next_cursor");
                if (!next.isString()) {
                    return;
                }
                ((ObjectNode) arguments.get("page")).put("cursor", next.asString());
                answer = run.apply(arguments);
                if (answer.problem() != null) {
                    exchange.abort();
                    throw new IOException(
                            "the rest is refused: " + answer.problem().note());
                }
            }
        }
    }

    /** An incomplete file has no end: not even that of a zip, which closing it writes. */
    private static void write(RestExchange exchange, PageWriter file, Answer page) throws IOException {
        try {
            file.write(page.envelope());
        } catch (IOException e) {
            exchange.abort();
            throw e;
        }
    }

    /** Returns whether the request carries a file for a tool that reads it while it arrives. */
    static boolean isUpload(Tool<?, ?> tool) {
        var upload = tool.upload();
        return upload != null
                && upload.isPiped()
                && (isForm() || DocumentFiles.type().equals(upload.mediaType()));
    }

    private static boolean isForm() {
        return DocumentFiles.type().equals(UploadBody.FORM);
    }

    /** Runs the tool, which reads the file. Callers that may not run it are refused before they send the file. */
    static Response receive(Tool<?, ?> tool, ContainerRequestContext context, Function<ObjectNode, Response> run) {
        var exchange = RestExchange.current();
        var caller = exchange.identified();
        exchange.checkMayRun(Optional.of(tool), Json.object());
        caller.obstacle(tool, Json.object()).ifPresent(note -> {
            throw Problem.notPermitted(note);
        });
        var arguments = Json.object();
        JsonBody.requirePlain();
        var body = context.getEntityStream();
        try {
            var file = isForm()
                    ? FileForm.open(body, Objects.requireNonNull(exchange.contentType()), fields(tool), arguments)
                    : body;
            return ScopedValue.where(FileStream.CURRENT, file).call(() -> run.apply(arguments));
        } catch (IOException e) {
            throw new Problem(Failure.BAD_REQUEST, "the body ended too early; send the whole body");
        }
    }

    private static java.util.Set<String> fields(Tool<?, ?> tool) {
        return Field.of(tool.inputSchema().json()).stream()
                .map(Field::path)
                .filter(path ->
                        !path.equals(Objects.requireNonNull(tool.upload()).field()))
                .collect(Collectors.toSet());
    }
}
