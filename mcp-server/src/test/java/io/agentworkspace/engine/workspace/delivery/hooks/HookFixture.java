package io.agentworkspace.engine.workspace.delivery.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/** Two agents of one user: Ada, whose program calls hooks, and Bert, who writes to her. */
final class HookFixture {
    static final String END = "(the stream has ended)";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    final TestTenant tenant = new TestTenant();
    final String owner = tenant.key(ClientApi.REST, "maria", Role.OWNER, List.of("*"));
    final String ada = agent("Ada", "Looks after the tides.");
    final String bert = agent("Bert", "d");

    private String agent(String name, String description) {
        call(
                owner,
                "AP_Create",
                "{'vx':{'name':'%s','description':'%s','access':'public'}}".formatted(name, description));
        return bound(name, "*").text("/api_key");
    }

    Reply bound(String agent, String capability) {
        return call(
                owner,
                "AK_Create",
                "{'name':'%s','capabilities':['%s'],'agent':'%s'}".formatted(UUID.randomUUID(), capability, agent));
    }

    /** Calls a tool; single quotes stand for double quotes. */
    static Reply call(String key, String service, String arguments) {
        return ClientApi.MCP
                .call(TestServer.url(), key, service, object(arguments))
                .ok();
    }

    static ObjectNode object(String json) {
        return Json.readObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    void say(String text) {
        call(bert, "AP_Chat", "{'target':{'agent':'Ada'},'content':'%s'}".formatted(text));
    }

    /** Sends Ada's event. */
    ObjectNode hook(String client, String event) {
        var response = post(ada, client, event);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.readObject(response.body().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what Ada's session is told by Claude Code's event; an empty text for nothing. */
    String announcement(String session, String name, String more) {
        return hook("claude-code", "{'hook_event_name':'%s','session_id':'%s'%s}".formatted(name, session, more))
                .at("/hookSpecificOutput/additionalContext")
                .asString("");
    }

    static HttpResponse<String> post(String key, String client, String event) {
        return post(TestServer.url(), key, client, event);
    }

    static HttpResponse<String> post(String url, String key, String client, String event) {
        return send(HttpRequest.newBuilder(URI.create(url + "/api/hooks/" + client))
                .header("X-Api-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(event.replace('\'', '"'))));
    }

    static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Returns the result of the hook tool. */
    static ObjectNode tool(String key, String agent, String arguments) {
        var rpc = Json.object().put("jsonrpc", "2.0").put("id", "1").put("method", "tools/call");
        rpc.putObject("params").put("name", "AW_Hook").set("arguments", object(arguments));
        var answer = ClientApi.post(TestServer.url() + "/mcp", key, Json.bytes(rpc), Map.of("User-Agent", agent));
        return (ObjectNode) Json.readObject(answer.body()).path("result");
    }

    /** Returns how many streams of wake-ups are open, at any replica. */
    long streams() {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM wake WHERE tenant_id = :tenant AND kind = 'stream'")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Returns how many sessions are idle. */
    long idle() {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM hook_session WHERE tenant_id = :tenant AND state = 'idle'")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Follows the messages of one of Ada's sessions. */
    Lines follow(String url, String query) {
        return Lines.of(url, ada, query);
    }

    /** Follows the wake-ups of Ada's session of Codex. */
    Lines followCodex(String session) {
        return Lines.of(URI.create(TestServer.url() + "/api/hooks/codex/messages?for=" + session), ada);
    }

    /** The lines of a stream of wake-ups: "id text". */
    static final class Lines implements AutoCloseable {
        private final HttpResponse<InputStream> response;
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private volatile String id = "";

        private Lines(HttpResponse<InputStream> response) {
            this.response = response;
        }

        static Lines of(String url, String key, String query) {
            return of(URI.create(url + "/api/hooks/claude-code/messages?for=" + query), key);
        }

        private static Lines of(URI stream, String key) {
            var request = HttpRequest.newBuilder(stream).header("X-Api-Key", key);
            try {
                var lines = new Lines(CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
                Thread.startVirtualThread(lines::read);
                return lines;
            } catch (IOException e) {
                throw new AssertionError(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }

        /** Returns the last id, from which a listener resumes. */
        String id() {
            return id;
        }

        int status() {
            return response.statusCode();
        }

        private void read() {
            try (var in = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                for (var line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.startsWith("id: ")) {
                        id = line.substring(4);
                    } else if (line.startsWith("data: ")) {
                        lines.add(id + " " + line.substring(6));
                    }
                }
            } catch (IOException e) {
                // A normal end of the stream.
            } finally {
                lines.add(END);
            }
        }

        String next() {
            try {
                var line = lines.poll(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS);
                assertThat(line).as("a line").isNotNull();
                return line;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException e) {
                // It is closed anyway.
            }
        }
    }
}
