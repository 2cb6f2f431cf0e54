package io.agentworkspace.engine.memory.banks.transfer;

import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** How many files that are imported arrive at once. */
class ArrivingFilesTest {
    private static final int MOST = 16;
    private static final String SMALL = "{'format':'csv','data':'text\\nLow water','target':{'bank':'b'}}";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final String key = tenant.key(ClientApi.REST, "zoe", Role.MEMBER, List.of("*"));
    private final TestCaller zoe = TestCaller.of(ClientApi.REST, key);
    private final CountDownLatch rest = new CountDownLatch(1);

    /** Returns a form whose end does not come before the others are counted. */
    private InputStream slowForm() {
        var head = "--x\r\nContent-Disposition: form-data; name=\"format\"\r\n\r\ncsv\r\n"
                + "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\ntext\n";
        var end = new ByteArrayInputStream("High water\r\n--x--\r\n".getBytes(UTF_8));
        return new SequenceInputStream(new ByteArrayInputStream(head.getBytes(UTF_8)), new InputStream() {
            @Override
            public int read() {
                try {
                    rest.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return end.read();
            }

            @Override
            public int read(byte[] to, int from, int length) {
                var next = read();
                if (next < 0) {
                    return -1;
                }
                to[from] = (byte) next;
                return 1;
            }
        });
    }

    private CompletableFuture<HttpResponse<String>> sent(HttpClient client) {
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/banks/z/import"))
                        .header("X-Api-Key", key)
                        .header("Content-Type", "multipart/form-data; boundary=x")
                        .POST(HttpRequest.BodyPublishers.ofInputStream(this::slowForm))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void sixteenFilesArriveAtOnceAndTheNextOneIsToldToComeBack() {
        bank(ann, "b");
        bank(zoe, "z");
        bank(zoe, "b");
        var arriving = new ArrayList<CompletableFuture<HttpResponse<String>>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .executor(threads)
                        .build()) {
            try {
                for (var i = 0; i < MOST - 1; i++) {
                    arriving.add(sent(client));
                }
                zoe.call("MB_Import", SMALL).ok();
                arriving.add(sent(client));
                await().until(() -> zoe.call("MB_Import", SMALL).code() != 0);
                ann.call("MB_Import", SMALL).refused(5002, "other imports are running; send this one again shortly");
            } finally {
                rest.countDown();
            }
            assertThat(arriving)
                    .allSatisfy(each -> assertThat(each.join().statusCode())
                            .as(each.join().body())
                            .isIn(200, 503)); // They take turns, and the last ones may wait for too long.
        }
        ann.call("MB_Import", SMALL).ok();
    }
}
