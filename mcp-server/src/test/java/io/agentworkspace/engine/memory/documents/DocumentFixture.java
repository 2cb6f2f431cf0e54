package io.agentworkspace.engine.memory.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** What tests of documents share: submitting documents, and waiting for their validation. */
final class DocumentFixture {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String BOUNDARY = "----a-boundary-of-the-tests";

    private DocumentFixture() {}

    static byte[] file(String name) {
        try {
            return Files.readAllBytes(Repository.file("mcp-server/src/test/resources/documents/" + name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ObjectNode text(String name, String text) {
        return Json.object().put("name", name).put("text", text);
    }

    /** Submits a text and waits until it is validated. */
    static Reply submitted(TestCaller person, String name, String text) {
        var id = person.call("DC_Submit", text(name, text)).ok().text("/document/id");
        return validated(person, id);
    }

    /** Returns the document's record once it is accepted or rejected. */
    static Reply validated(TestCaller person, String id) {
        var last = new Reply[1];
        await().until(() -> {
            last[0] = person.call("DC_Read", Json.object().put("id", id)).ok();
            return Set.of("accepted", "rejected").contains(last[0].text("/document/state"));
        });
        return last[0];
    }

    static String codes(Reply read) {
        return String.join(",", read.texts("/document/reasons", "code"));
    }

    /** Sends a form as browsers do. */
    static HttpResponse<String> form(String url, String key, String fileName, byte[] file, String... fields) {
        return formOf("application/x-wrong", url, key, fileName, file, fields);
    }

    /** The same, with this type of the file. */
    static HttpResponse<String> formOf(
            String type, String url, String key, String fileName, byte[] file, String... fields) {
        var body = new ByteArrayOutputStream();
        for (var i = 0; i < fields.length; i += 2) {
            body.writeBytes("--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
                    .formatted(BOUNDARY, fields[i], fields[i + 1])
                    .getBytes(StandardCharsets.UTF_8));
        }
        body.writeBytes(
                "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n"
                        .formatted(BOUNDARY, fileName, type)
                        .getBytes(StandardCharsets.UTF_8));
        body.writeBytes(file);
        body.writeBytes("\r\n--%s--\r\n".formatted(BOUNDARY).getBytes(StandardCharsets.UTF_8));
        return sent(
                HttpRequest.newBuilder(URI.create(url + "/api/documents"))
                        .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray())),
                key);
    }

    static HttpResponse<String> sent(HttpRequest.Builder request, String key) {
        try {
            return CLIENT.send(request.header("X-Api-Key", key).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static HttpResponse<byte[]> download(String address, String key) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(address)).header("X-Api-Key", key);
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    static ObjectNode json(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return Json.readObject(response.body().getBytes(StandardCharsets.UTF_8));
    }
}
