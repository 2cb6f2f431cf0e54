package io.agentworkspace.engine.memory.banks.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;

/** Files of memories, over the REST routes for them. */
final class TransferFiles {
    private TransferFiles() {}

    private static HttpRequest.Builder request(String key, String path) {
        return HttpRequest.newBuilder(URI.create(TestServer.url() + path)).header("X-Api-Key", key);
    }

    static String export(String key, String bank, String query) {
        var response = ClientApi.send(
                request(key, "/api/banks/%s/export%s".formatted(bank, query)).build());
        if (response.statusCode() != 200) {
            throw new AssertionError(new String(response.body(), UTF_8));
        }
        return new String(response.body(), UTF_8);
    }

    /** Sends a file as the part of a form. */
    static HttpResponse<byte[]> sent(String key, String bank, String format, byte[] file) {
        return sent(key, bank, Map.of("format", format), file);
    }

    /** Sends a file as the part of a form, after other fields. */
    static HttpResponse<byte[]> sent(String key, String bank, Map<String, String> fields, byte[] file) {
        var form = new ByteArrayOutputStream();
        fields.forEach(
                (name, value) -> form.writeBytes("--x\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
                        .formatted(name, value)
                        .getBytes(UTF_8)));
        form.writeBytes("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n".getBytes(UTF_8));
        form.writeBytes(file);
        form.writeBytes("\r\n--x--\r\n".getBytes(UTF_8));
        return ClientApi.send(request(key, "/api/banks/%s/import".formatted(bank))
                .header("Content-Type", "multipart/form-data; boundary=x")
                .POST(HttpRequest.BodyPublishers.ofByteArray(form.toByteArray()))
                .build());
    }

    /** Begins to send a file that is too large to be read before it is passed on, and does not end it. */
    static Socket begun(String key, String bank) throws IOException {
        var server = URI.create(TestServer.url());
        var socket = new Socket(server.getHost(), server.getPort());
        socket.getOutputStream()
                .write("""
                POST /api/banks/%s/import HTTP/1.1
                Host: localhost
                X-Api-Key: %s
                Content-Type: multipart/form-data; boundary=x
                Content-Length: 2000000

                --x
                Content-Disposition: form-data; name="format"

                auto
                --x
                Content-Disposition: form-data; name="file"; filename="f"

                A line.
                """.formatted(bank, key).replace("\n", "\r\n").getBytes(UTF_8));
        return socket;
    }

    /** Sends it again where a busy machine exceeded the time limit of a portion: the import goes on where it stopped. */
    static Reply imported(String key, String bank, String format, byte[] file) {
        var response = sent(key, bank, format, file);
        for (var tries = 1; response.statusCode() == 503 && tries < 20; tries++) {
            response = sent(key, bank, format, file);
        }
        return new Reply(Json.readObject(response.body())).ok();
    }

    /** Returns a zip of these files, written without any check. */
    static byte[] zip(Map<String, String> files) {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipArchiveOutputStream(bytes)) {
            for (var file : files.entrySet()) {
                var isLink = file.getValue().startsWith("-> ");
                var entry = new ZipArchiveEntry(file.getKey());
                entry.setUnixMode(isLink ? 0120777 : 0100644);
                entry.setTime(1_700_000_000_000L);
                zip.putArchiveEntry(entry);
                zip.write(file.getValue().getBytes(UTF_8));
                zip.closeArchiveEntry();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }
}
