package io.agentworkspace.engine.web.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/** Compresses complete responses in JSON or YAML for clients that accept gzip, but not streams and pages. */
final class Compression {
    private static final List<String> COMPRESSIBLE =
            List.of("application/json", "application/problem+json", "application/yaml");

    /** Smaller responses fit into a packet or two without compression. */
    private static final int LEAST = 1_024;

    /** Responses with a session's secrets are not compressed, since their size would depend on the secrets. */
    private static final String SECRETS = "/api/auth/";

    private static final HttpField GZIP = new PreEncodedHttpField(HttpHeader.CONTENT_ENCODING, "gzip");
    private static final HttpField VARY = new PreEncodedHttpField(HttpHeader.VARY, "Accept-Encoding");

    private Compression() {}

    /** Returns the content to send, and sets the headers. Must be called before anything is sent. */
    static @Nullable ByteBuffer of(
            Request request, HttpFields.Mutable headers, boolean last, @Nullable ByteBuffer content) {
        if (content == null
                || content.remaining() < LEAST
                || !isWhole(headers, last, content)
                || !isText(headers)
                || headers.contains(HttpHeader.CONTENT_ENCODING)
                || Request.getPathInContext(request).startsWith(SECRETS)) {
            return content;
        }
        headers.add(VARY);
        if (!accepts(request)) {
            return content;
        }
        var compressed = gzipped(content);
        headers.put(GZIP);
        headers.put(HttpHeader.CONTENT_LENGTH, compressed.length);
        var tag = headers.get(HttpHeader.ETAG);
        if (tag != null && !tag.startsWith("W/")) {
            headers.put(HttpHeader.ETAG, "W/" + tag); // The compressed bytes are a weak match of the same response.
        }
        return ByteBuffer.wrap(compressed);
    }

    private static boolean isWhole(HttpFields headers, boolean last, ByteBuffer content) {
        return last || headers.getLongField(HttpHeader.CONTENT_LENGTH) == content.remaining();
    }

    private static boolean isText(HttpFields headers) {
        var type = headers.get(HttpHeader.CONTENT_TYPE);
        return type != null && COMPRESSIBLE.stream().anyMatch(type::startsWith);
    }

    private static boolean accepts(Request request) {
        return request.getHeaders().contains(HttpHeader.ACCEPT_ENCODING)
                && request.getHeaders()
                        .getQualityCSV(HttpHeader.ACCEPT_ENCODING)
                        .contains("gzip");
    }

    private static byte[] gzipped(ByteBuffer content) {
        var bytes = new ByteArrayOutputStream(content.remaining() / 4);
        try (var gzip = new Fast(bytes)) {
            BufferUtil.writeTo(content.slice(), gzip);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Compresses at the lowest level, which already shrinks JSON to a fifth. */
    private static final class Fast extends GZIPOutputStream {
        Fast(ByteArrayOutputStream out) throws IOException {
            super(out, 8_192);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
