package io.agentworkspace.engine.workspace.delivery.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What opencode's plugin sends when opencode does what a test with the program cannot bring about, such as an abort. */
@Tag("slow")
class OpencodePluginTest {
    private static final String PROMPT =
            "await hooks['chat.message']({ sessionID: 'ses_1' }, { parts: [{ id: 'p', type: 'text', text: 'hello' }] })\n";
    private static final String IDLE =
            "await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } })\n";

    private final List<JsonNode> sent = new CopyOnWriteArrayList<>();
    private final List<URI> streams = new CopyOnWriteArrayList<>();
    private volatile String answer = "{}";
    private volatile String elsewhere = "";
    private HttpServer server;

    @TempDir
    Path home;

    @BeforeEach
    void start() throws IOException {
        Node.require();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var body = exchange.getRequestBody().readAllBytes();
            if (exchange.getRequestMethod().equals("GET")) {
                streams.add(exchange.getRequestURI());
            } else {
                sent.add(Json.readObject(body));
            }
            if (!elsewhere.isEmpty()) {
                exchange.getResponseHeaders().add("Location", elsewhere);
            }
            var bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(elsewhere.isEmpty() ? 200 : 302, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Runs the plugin with these steps of opencode, and returns what the plugin began itself. */
    private String run(String url, String steps) throws IOException {
        var plugin = home.resolve("plugin.mjs");
        Files.writeString(home.resolve("key"), "ek_secret");
        Files.writeString(
                plugin,
                Repository.text(Repository.file("clients/opencode/opencode.js"))
                        .replace("@ENGINE@", url)
                        .replace("@KEY_FILE@", home.resolve("key").toString()));
        var script = home.resolve("steps.mjs");
        Files.writeString(script, """
                import { AgentWorkspace } from '%s'
                const client = { session: { get: async () => ({ data: {} }), promptAsync: async it => console.log(JSON.stringify(it)) } }
                const hooks = await AgentWorkspace({ client, directory: '/repo/src', worktree: '/repo' })
                %s
                process.exit(0)
                """.formatted(plugin, steps));
        var ended = Node.run(Map.of(), List.of(script.toString()));
        assertThat(ended.code()).as(ended.errors()).isZero();
        return ended.output();
    }

    private List<String> events() {
        return sent.stream()
                .map(event -> event.path("hook_event_name").asString())
                .toList();
    }

    @Test
    void theKeyFollowsNoRedirect() throws IOException {
        var other = new CopyOnWriteArrayList<String>();
        var elsewhereServer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        elsewhereServer.createContext("/", exchange -> {
            other.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Api-Key")));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        elsewhereServer.start();
        elsewhere = "http://localhost:" + elsewhereServer.getAddress().getPort() + "/sign-in";
        run(url(), PROMPT);
        elsewhereServer.stop(0);
        assertThat(events()).contains("SessionStart", "UserPromptSubmit");
        assertThat(other).isEmpty();
    }

    /** Otherwise what waits would begin another turn at once. */
    @Test
    void aTurnThatItsUserStoppedStaysStopped() throws IOException {
        answer = "{\"hookSpecificOutput\":{\"additionalContext\":\"1 new message\"}}";
        var aborted = PROMPT
                + "await hooks.event({ event: { type: 'session.error', properties: { sessionID: 'ses_1', error: { name: 'MessageAbortedError' } } } })\n"
                + IDLE;
        assertThat(run(url(), aborted)).isEmpty();
        assertThat(events()).endsWith("Interrupt").doesNotContain("Stop");
        assertThat(run(url(), aborted + PROMPT + IDLE)).contains("1 new message");
        assertThat(events()).endsWith("Stop");
    }

    @Test
    void onlyToolsThatWriteAreChecked() throws IOException {
        var steps = new StringBuilder();
        for (var tool : List.of("read", "lsp", "harbour_look", "edit", "write")) {
            steps.append(
                    "await hooks['tool.execute.before']({ tool: '%s', sessionID: 'ses_1' }, { args: { filePath: '/repo/src/A.java' } })\n"
                            .formatted(tool));
        }
        run(url(), steps.toString());
        assertThat(sent.stream()
                        .map(event -> event.path("tool_name").asString() + " in "
                                + event.path("root").asString()))
                .containsExactly("edit in /repo", "write in /repo");
    }

    /** opencode connects to its servers when it starts, so without the engine it has no tools: a message must not wake it. */
    @Test
    void aSessionThatBeganWithoutTheEngineIsNotWoken() throws IOException {
        var steps = """
                const theirs = globalThis.fetch
                let fails = %s // As if the engine were down at first.
                let followed
                const follows = new Promise(done => { followed = done })
                globalThis.fetch = (url, ...more) => {
                  if (fails) {
                    fails = false
                    return Promise.reject(new Error('refused'))
                  }
                  const answer = theirs(url, ...more)
                  if (url.includes('/messages')) answer.then(followed)
                  return answer
                }
                """ + PROMPT + "await follows\n";
        run(url(), steps.formatted("false"));
        assertThat(streams).isNotEmpty().allMatch(uri -> !uri.getQuery().contains("connected"));
        streams.clear();
        run(url(), steps.formatted("true"));
        assertThat(streams).isNotEmpty().allMatch(uri -> uri.getQuery().contains("connected=no"));
    }
}
