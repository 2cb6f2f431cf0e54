package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.codes;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.submitted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files from clients that are slow, break off, or send more than they may. */
@Tag("slow")
class DocumentIntakeTest {
    /** The first MiB of a body is read before the request begins; half of this is more. */
    private static final int SIZE = 4_000_000;

    private static final int CLIENTS = 6;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));

    /** An upload whose client sends only part of the file until the test lets it go on. */
    private record Sender(Socket socket) implements AutoCloseable {
        static Sender begin(String name, String key, long declared) throws IOException {
            var server = URI.create(TestServer.url());
            var sender = new Sender(new Socket(server.getHost(), server.getPort()));
            sender.send(
                    """
                    POST /api/documents?name=%s HTTP/1.1
                    Host: %s
                    X-Api-Key: %s
                    Content-Type: application/octet-stream
                    Content-Length: %d
                    Connection: close

                    """.formatted(name, server.getAuthority(), key, declared).replace("\n", "\r\n"));
            return sender;
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
        }

        String answer() throws IOException {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String half(int n) {
        return "Word %03d. ".formatted(n).repeat(SIZE / 2 / 10);
    }

    private long count(String rows) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM %s WHERE tenant_id = :tenant".formatted(rows))
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Several clients send halves; others are served meanwhile, and the halves become whole. */
    @Test
    void slowClientsHoldUpNobody() throws IOException {
        var senders = new ArrayList<Sender>();
        try {
            for (var i = 0; i < CLIENTS; i++) {
                senders.add(Sender.begin("slow%d.txt".formatted(i), key, SIZE));
                senders.getLast().send(half(i));
            }
            await().until(() -> count("document_upload") == CLIENTS);
            var ann = tenant.person(ClientApi.REST, "ann", Role.MEMBER);
            assertThat(submitted(ann, "quick.txt", "Quick words.").text("/document/state"))
                    .isEqualTo("accepted");
            assertThat(count("document")).isEqualTo(1);
            for (var i = 0; i < senders.size(); i++) {
                senders.get(i).send(half(i));
                assertThat(senders.get(i).answer()).startsWith("HTTP/1.1 201").contains("\"size\":" + SIZE);
            }
        } finally {
            for (var sender : senders) {
                sender.close();
            }
        }
    }

    @Test
    void ofAClientThatBreaksOffNothingIsKept() throws IOException {
        try (var sender = Sender.begin("half.txt", key, SIZE)) {
            sender.send(half(1));
            await().until(() -> count("document_chunk") > 0);
        }
        await().until(() -> count("document_upload") == 0);
        assertThat(count("document_chunk")).isZero();
        assertThat(count("document")).isZero();
    }

    /** Refused by what it declares, before a byte of the file is sent. */
    @Test
    void aFileThatIsDeclaredTooLargeIsNotAwaited() throws IOException {
        try (var sender = Sender.begin("large.txt", key, 2L * Upload.MAX_BYTES)) {
            assertThat(sender.answer())
                    .startsWith("HTTP/1.1 413")
                    .contains("too_large")
                    .contains("the file has 41,943,040 bytes; at most 20,971,520 are allowed");
        }
        assertThat(count("document_upload")).isZero();
    }

    /** From the template to the reason in the document's record. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void onlyAllowedTypesAreAccepted(ClientApi api) {
        tenant.person(api, "olga", Role.OWNER)
                .call(
                        "RL_Create",
                        "{'name':'types','template':'allowed-document-types','parameters':{'types':['text/plain','text/markdown']}}")
                .ok();
        var ann = tenant.person(api, "ann", Role.MEMBER);
        var page = submitted(ann, "page.html", "<!DOCTYPE html><html><body><p>Words of a page.</p></body></html>");
        assertThat(page.text("/document/state")).isEqualTo("rejected");
        assertThat(codes(page)).isEqualTo("rule");
        assertThat(page.text("/document/reasons/0/message"))
                .isEqualTo("refused by the rule 'types': documents of this type are not taken here");
        assertThat(submitted(ann, "notes.md", "# Notes\n\nWords of a note.").text("/document/state"))
                .isEqualTo("accepted");
        ann.call("DC_Read", "{'id':'page.html','part':'text'}").refused(3003, "'types'");
    }
}
