package io.agentworkspace.engine.memory.banks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** What MB_Store sends to the model of embeddings. */
class StoreEmbeddingTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Test
    void nothingIsEmbeddedForWhoMayNotStoreIt() throws IOException {
        var model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        model.createContext("/", this::answer);
        model.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        model.start();
        var app = TestServer.start(Map.of(
                "ENGINE_EMBEDDING", "http://127.0.0.1:" + model.getAddress().getPort(), "ENGINE_EMBEDDING_MODEL", "m"));
        try {
            var tenant = new TestTenant();
            var ann = caller(app.baseUrl(), tenant, "ann");
            var bob = caller(app.baseUrl(), tenant, "bob");
            ann.call("MB_Create", "{'vx':{'name':'Open','access':'public'}}").ok();
            ann.call("MB_Create", "{'vx':{'name':'Closed','access':'private'}}").ok();
            ann.call("MB_Search", "{'target':{'bank':'Open'},'content':'load the model'}")
                    .ok();
            await().until(() -> seen.stream().anyMatch(text -> text.contains("load the model")));
            bob.call("MB_Store", "{'target':{'bank':'Open'},'content':'not permitted'}")
                    .refused(2003);
            bob.call("MB_Store", "{'target':{'bank':'Closed'},'content':'not visible'}")
                    .refused(3001);
            ann.call("MB_Store", "{'target':{'bank':'Open'},'content':'permitted'}")
                    .ok();
            await().until(() -> seen.stream().anyMatch(text -> text.contains("\"permitted\"")));
            assertThat(seen).noneMatch(text -> text.contains("not permitted") || text.contains("not visible"));
        } finally {
            app.close();
            model.stop(0);
        }
    }

    private static TestCaller caller(String url, TestTenant tenant, String user) {
        var key = tenant.key(ClientApi.REST, user, Role.MEMBER, List.of("*"));
        return (service, arguments) -> ClientApi.REST.call(url, key, service, arguments);
    }

    private void answer(HttpExchange exchange) throws IOException {
        var request = Json.readObject(exchange.getRequestBody().readAllBytes());
        seen.add(request.path("input").toString());
        var answer = Json.object();
        var data = answer.putArray("data");
        for (var i = 0; i < request.path("input").size(); i++) {
            data.addObject().put("index", i).putArray("embedding").add(1).add(0);
        }
        var body = Json.bytes(answer);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
