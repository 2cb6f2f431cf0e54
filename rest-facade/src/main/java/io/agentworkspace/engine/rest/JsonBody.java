package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.QuotedText;
import io.agentworkspace.engine.model.tool.RequestContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request's body: one JSON object in UTF-8, at most {@link RequestContext#MAX_BODY} bytes, also after gzip is unpacked, with
 * any transfer encoding.
 */
final class JsonBody {
    /**
     * How many bytes of an oversize body are read and dropped, so that a client that is still sending receives the
     * refusal.
     */
    private static final long DRAIN = 8L * RequestContext.MAX_BODY;

    /** How many members that are packed one after another may be empty. */
    private static final int MOST_MEMBERS = 100;

    private JsonBody() {}

    /**
     * Reads a required body.
     *
     * @param example an example of a valid body, for the note if there is none
     */
    static ObjectNode required(ContainerRequestContext context, String example) {
        var bytes = read(context.getEntityStream());
        if (isBlank(bytes)) {
            throw Problem.malformed("the body is empty; send a JSON object, at least " + example);
        }
        requireJson();
        return Json.readObject(bytes);
    }

    /** Reads an optional body. */
    static ObjectNode optional(ContainerRequestContext context) {
        var bytes = read(context.getEntityStream());
        if (bytes.length == 0) {
            return Json.object();
        }
        requireJson();
        return Json.readObject(bytes);
    }

    /** Checks an optional body: if sent, it must be a JSON object without fields. */
    static void none(ContainerRequestContext context) {
        var body = optional(context);
        if (!body.isEmpty()) {
            var names = body.propertyNames().stream()
                    .limit(10)
                    .map(QuotedText::shortened)
                    .toList();
            throw Problem.invalid(String.join(", ", names), "cannot be given: this route takes no fields in its body");
        }
    }

    private static void requireJson() {
        var type = RestExchange.current().contentType();
        if (!isJson(type)) {
            throw new Problem(
                    Failure.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Type must be application/json (in UTF-8), not "
                            + (type == null ? "absent" : "'%s'".formatted(QuotedText.shortened(type))));
        }
    }

    private static boolean isJson(@Nullable String header) {
        if (header == null) {
            return false;
        }
        try {
            var type = MediaType.valueOf(header);
            var charset = type.getParameters().getOrDefault(MediaType.CHARSET_PARAMETER, "utf-8");
            return MediaType.APPLICATION_JSON_TYPE.equals(new MediaType(type.getType(), type.getSubtype()))
                    && charset.equalsIgnoreCase("utf-8");
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Reads the whole body, in any format. */
    static byte[] bytes(ContainerRequestContext context) {
        return read(context.getEntityStream());
    }

    /**
     * Refuses a body with a content encoding, where it is read as it comes.
     *
     * @throws Problem {@code unsupported_media_type}
     */
    static void requirePlain() {
        if (isEncoded()) {
            throw new Problem(
                    Failure.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Encoding is '%s', but a file must be sent as it is, without one"
                            .formatted(
                                    QuotedText.shortened(RestExchange.current().contentEncoding())));
        }
    }

    private static boolean isEncoded() {
        return !RestExchange.current().contentEncoding().isBlank()
                && !RestExchange.current().contentEncoding().strip().equalsIgnoreCase("identity");
    }

    /** Returns the stream, unpacked if the client packed it with gzip. */
    private static InputStream unpacked(InputStream stream) throws IOException {
        if (!isEncoded()) {
            return stream;
        }
        var encoding = RestExchange.current().contentEncoding().strip();
        if (!encoding.equalsIgnoreCase("gzip") && !encoding.equalsIgnoreCase("x-gzip")) {
            throw new Problem(
                    Failure.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Encoding must be gzip, or left out; not '%s'".formatted(QuotedText.shortened(encoding)));
        }
        return new GZIPInputStream(stream) {
            private int members;

            /** Calls itself for each member that follows an empty one. */
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                if (++members > MOST_MEMBERS) {
                    throw new ZipException("too many empty members");
                }
                try {
                    return super.read(into, offset, length);
                } finally {
                    members--;
                }
            }
        };
    }

    private static byte[] read(InputStream sent) {
        try {
            var stream = unpacked(sent);
            var declared = RestExchange.current().bodyLength();
            var bytes = declared > RequestContext.MAX_BODY ? null : stream.readNBytes(RequestContext.MAX_BODY + 1);
            if (bytes == null || bytes.length > RequestContext.MAX_BODY) {
                drain(sent);
                throw new Problem(
                        Failure.TOO_LARGE,
                        "the body is too large; at most %,d bytes are allowed".formatted(RequestContext.MAX_BODY));
            }
            return bytes;
        } catch (ZipException e) {
            throw new Problem(Failure.BAD_REQUEST, "Content-Encoding is gzip, but the body is not in gzip's format");
        } catch (IOException | HttpException.RuntimeException e) {
            throw new Problem(Failure.BAD_REQUEST, "the body ended too early; send the whole body");
        }
    }

    private static void drain(InputStream stream) throws IOException {
        if (RestExchange.current().expectsContinue()) {
            return;
        }
        var dropped = new byte[1 << 14];
        for (long left = DRAIN; left > 0; ) {
            var count = stream.read(dropped);
            if (count < 0) {
                return;
            }
            left -= count;
        }
    }

    private static boolean isBlank(byte[] bytes) {
        return bytes.length < 1_000 && new String(bytes, StandardCharsets.ISO_8859_1).isBlank();
    }
}
