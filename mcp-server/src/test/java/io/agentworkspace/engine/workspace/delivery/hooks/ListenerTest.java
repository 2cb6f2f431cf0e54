package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The listener, which wakes a session: what it does when the engine, its client or the machine does not do its part. */
@Tag("slow")
class ListenerTest {
    private static final String LISTENER =
            Repository.file("clients/workspace/listener.sh").toString();

    @TempDir
    Path folder;

    private final HookFixture it = new HookFixture();
    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void bin() throws IOException {
        Files.createDirectory(folder.resolve("bin"));
    }

    @AfterEach
    void end() {
        processes.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        });
    }

    private Process start(Map<String, String> environment, String... command) {
        var builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().put("TMPDIR", folder.toString());
        builder.environment().put("ENGINE_LISTENER_PATIENCE", "2");
        builder.environment().put("ENGINE_KEY", it.ada);
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            processes.add(process);
            return process;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A program that the listener ends with: it reads its input, which does not come. */
    private Process client() {
        return start(Map.of(), "cat");
    }

    private Process listener(Process client, String url) {
        return start(
                Map.of("LISTENER_PID", Long.toString(client.pid()), "ENGINE_URL", url), "dash", LISTENER, "codex", "s");
    }

    private Path codex(String script) throws IOException {
        var program = Files.writeString(folder.resolve("bin/codex"), "#!/bin/sh\n" + script);
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> log() throws IOException {
        var log = folder.resolve("log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    private static void answer(Socket connection) throws IOException {
        connection
                .getOutputStream()
                .write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: alive\n\n"
                        .getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aConnectionThatIsSilentIsReplacedAndTheListenerEndsWithItsClient() throws Exception {
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var client = client();
            var listener = listener(client, "http://127.0.0.1:" + server.getLocalPort());
            try (var silent = server.accept()) {
                answer(silent);
                try (var next = server.accept()) { // Although the first one is still open.
                    answer(next);
                    assertThat(listener.isAlive()).isTrue();
                    client.destroy();
                    assertThat(listener.waitFor()).isZero();
                }
            }
            assertThat(folder).isDirectoryNotContaining(path -> path.toString().contains("aw-listener"));
        }
    }

    @Test
    void aWakeUpThatHangsIsEndedAndComesAgain() throws Exception {
        codex("""
                echo "$$ $*" >>'%s/log'
                [ -e '%1$s/again' ] || { : >'%1$s/again'; exec tail -f /dev/null; }
                """.formatted(folder));
        it.announcement("s", "SessionStart", "");
        var listener = listener(client(), TestServer.url());
        it.say("tide at six");
        await("the second try").until(() -> log().size() == 2);
        assertThat(log()).allMatch(line -> line.endsWith("Workspace: 1 new message from Bert; read it with AP_Wait."));
        assertThat(ProcessHandle.of(Long.parseLong(log().getFirst().split(" ")[0]))
                        .filter(ProcessHandle::isAlive))
                .isEmpty();
        assertThat(listener.isAlive()).isTrue();
    }

    private String announced() {
        return it.hook("codex", "{'hook_event_name':'UserPromptSubmit','session_id':'s','prompt':'x'}")
                .at("/hookSpecificOutput/additionalContext")
                .asString("");
    }

    /** As a Codex that has no such command: the hooks announce what it could not, once, and the listener tries again. */
    @Test
    void aWakeUpThatFailsIsLeftToTheHooks() throws Exception {
        codex("echo \"$*\" >>'%s/log'; [ -e '%1$s/newer' ]\n".formatted(folder));
        it.announcement("s", "SessionStart", "");
        listener(client(), TestServer.url());
        it.say("tide at six");
        await("the try that fails").until(() -> !log().isEmpty());
        await("the hook").until(() -> announced().contains("1 new message waits for the agent Ada: 1 from Bert"));
        assertThat(announced()).isEmpty();
        it.hook(
                "codex",
                "{'hook_event_name':'Interrupt','session_id':'s'}"); // The turn is over: now the session is woken.
        Files.createFile(folder.resolve("newer"));
        it.say("tide at seven");
        await("the next try").until(() -> log().size() > 1);
        assertThat(log().getLast()).endsWith("Workspace: 1 new message from Bert; read it with AP_Wait.");
        await("the report").until(() -> unconfirmed().equals("{}"));
        assertThat(announced()).isEmpty();
    }

    private String unconfirmed() {
        return TestDatabase.db()
                .sql("SELECT unconfirmed FROM hook_session WHERE tenant_id = :tenant")
                .set("tenant", it.tenant.id(ClientApi.REST))
                .one(row -> row.text("unconfirmed"))
                .orElseThrow();
    }

    /** What was sent to a listener that was killed is announced by the hooks. */
    @Test
    void aListenerThatIsKilledTakesNoMessageAlong() throws Exception {
        codex("");
        it.announcement("s", "SessionStart", "");
        var listener = listener(client(), TestServer.url());
        await("its stream").until(() -> it.streams() == 1);
        listener.destroyForcibly().waitFor(); // Its curl lives on, and takes the next line.
        it.say("tide at six");
        await("the line that is lost").until(() -> !unconfirmed().equals("{}"));
        await("the hook").until(() -> announced().contains("1 new message"));
        assertThat(announced()).isEmpty();
    }

    @Test
    void itFindsItsClientWithoutPs() throws Exception {
        var bin = Files.createDirectory(folder.resolve("few"));
        for (var tool : List.of(
                "sh",
                "cat",
                "curl",
                "dirname",
                "id",
                "mkdir",
                "mkfifo",
                "readlink",
                "rm",
                "rmdir",
                "sed",
                "sleep",
                "tr")) {
            var program = Path.of("/usr/bin", tool);
            Files.createSymbolicLink(bin.resolve(tool), Files.exists(program) ? program : Path.of("/bin", tool));
        }
        var hook = Repository.file("clients/workspace/hook.sh");
        var process = start(
                Map.of("PATH", bin.toString(), "ENGINE_URL", TestServer.url()),
                "/bin/sh",
                "-c",
                "printf '%s' '{\"session_id\":\"s\"}' | sh '" + hook + "' codex listen; true");
        assertThat(process.waitFor()).isZero();
        var itself = folder.resolve("aw-listener-" + Files.getAttribute(folder, "unix:uid"))
                .resolve("codex-" + ProcessHandle.current().pid());
        await("the listener of this program").until(() -> Files.exists(itself) && Files.size(itself) > 0);
        var listener = ProcessHandle.of(Long.parseLong(Files.readString(itself).split(" ")[0]))
                .orElseThrow();
        listener.destroy();
        await("its end").until(() -> !listener.isAlive() && Files.notExists(itself));
    }

    @Test
    void itDoesNotListenForASessionThatNothingCanWake() throws Exception {
        var environment = Map.of("CLAUDE_PID", Long.toString(client().pid()), "ENGINE_URL", TestServer.url());
        assertThat(start(environment, "dash", LISTENER, "claude-code", "s").waitFor())
                .isZero();
    }

    private void program(String name, String script) throws IOException {
        var program = Files.writeString(folder.resolve("bin").resolve(name), "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** As curl-minimal of Fedora: without telnet, so it cannot speak to the socket of a session. */
    @Test
    void aCurlWithoutTelnetLosesNoWakeUp() throws Exception {
        program("curl", """
                case "$*" in -V) echo 'Protocols: file http https' ;; *telnet*) exit 1 ;; *) exec /usr/bin/curl "$@" ;; esac
                """);
        var socket = folder.resolve("socket");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            var client = Long.toString(client().pid());
            var environment = Map.of(
                    "CLAUDE_PID",
                    client,
                    "CLAUDE_CODE_MESSAGING_SOCKET",
                    socket.toString(),
                    "ENGINE_URL",
                    TestServer.url());
            assertThat(start(environment, "dash", LISTENER, "claude-code", "s").waitFor())
                    .isZero();
            var plugin = new HashMap<>(environment);
            plugin.put("CLAUDE_PLUGIN_DATA", folder.toString());
            it.announcement("s", "SessionStart", "");
            start(plugin, "dash", LISTENER, "claude-code", "s");
            it.say("tide at six");
            var lines = folder.resolve("messages-" + client);
            await("the line for the monitor").until(() -> Files.exists(lines) && Files.size(lines) > 0);
            assertThat(lines).content().contains("1 new message from Bert");
        }
    }

    @Test
    void aProcessThatHasTheNumberOfAFormerListenerIsLeftAlone() throws Exception {
        var other = client();
        var client = client();
        var state = Files.createDirectory(folder.resolve("aw-listener-" + Files.getAttribute(folder, "unix:uid")));
        var itself = Files.writeString(state.resolve("codex-" + client.pid()), other.pid() + " former\n");
        var listener = listener(client, TestServer.url());
        await("the new listener").until(() -> Files.readString(itself).equals(listener.pid() + " s\n"));
        assertThat(other.isAlive()).isTrue();
        var next = start(
                Map.of("LISTENER_PID", Long.toString(client.pid()), "ENGINE_URL", TestServer.url()),
                "dash",
                LISTENER,
                "codex",
                "t");
        assertThat(listener.waitFor()).isZero();
        assertThat(next.isAlive()).isTrue();
    }

    /** Returns what the hook prints for an event. */
    private String hooked(String event) throws Exception {
        return hooked(event, TestServer.url());
    }

    private String hooked(String event, String url) throws Exception {
        var file = Files.writeString(folder.resolve("event"), event);
        var printed = folder.resolve("printed");
        var hook = Repository.file("clients/workspace/hook.sh");
        var line = "dash '%s' claude-code <'%s' >'%s' 2>&1".formatted(hook, file, printed);
        assertThat(start(Map.of("ENGINE_URL", url), "dash", "-c", line).waitFor())
                .isZero();
        return Files.readString(printed);
    }

    @Test
    void aLargeEventIsAnnouncedAndAnEngineThatIsDownIsNotNoticed() throws Exception {
        it.announcement("s", "SessionStart", "");
        it.say("tide at six");
        var event = Json.object().put("session_id", "s").put("hook_event_name", "PostToolUse");
        event.put("tool_name", "Read").put("tool_response", "a \"word\"\n".repeat(200_000));
        assertThat(hooked(Json.text(event), "http://127.0.0.1:1")).isEmpty();
        assertThat(hooked(Json.text(event))).contains("1 new message", "from Bert");
    }

    /** One plain sentence for the user, once in each session, and again in the next. */
    @Test
    void anEngineThatIsDownOrRefusesTheKeyIsToldOnceInEachSession() throws Exception {
        var prompt = "{\"session_id\":\"%s\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"x\"}";
        assertThat(hooked(prompt.formatted("down"), "http://127.0.0.1:1"))
                .isEqualTo(
                        "{\"systemMessage\":\"The workspace at http://127.0.0.1:1 does not answer, so this session gets no messages: start the engine, then restart this program.\"}");
        assertThat(hooked(prompt.formatted("down"), "http://127.0.0.1:1")).isEmpty();
        assertThat(hooked(prompt.formatted("next"), "http://127.0.0.1:1")).contains("does not answer");
        for (var key : call(it.owner, "AK_List", "{}").at("/keys")) {
            if (key.path("agent").asString("").equals("Ada")) {
                call(
                        it.owner,
                        "AK_Revoke",
                        "{'id':'%s'}".formatted(key.path("id").asString()));
            }
        }
        assertThat(hooked(prompt.formatted("revoked"))).contains("\"systemMessage\"", "refuses the key of this agent");
        assertThat(hooked(prompt.formatted("revoked"))).isEmpty();
    }

    /** It belongs to the session: whatever outlives it, no message starts a turn. */
    @Test
    void aListenerEndsWithItsSession() throws Exception {
        codex("");
        it.announcement("s", "SessionStart", "");
        var listener = listener(client(), TestServer.url());
        await("its stream").until(() -> it.streams() == 1);
        var file =
                Files.writeString(folder.resolve("event"), "{\"session_id\":\"s\",\"hook_event_name\":\"SessionEnd\"}");
        var hook = Repository.file("clients/workspace/hook.sh");
        start(Map.of("ENGINE_URL", TestServer.url()), "dash", "-c", "dash '%s' codex <'%s'".formatted(hook, file))
                .waitFor();
        await("its end").until(() -> !listener.isAlive());
    }

    @Test
    void aSecondSessionHasAListenerOfItsOwn() throws Exception {
        codex("");
        for (var session : List.of("s", "t")) {
            it.announcement(session, "SessionStart", "");
            start(
                    Map.of("LISTENER_PID", Long.toString(client().pid()), "ENGINE_URL", TestServer.url()),
                    "dash",
                    LISTENER,
                    "codex",
                    session);
        }
        await("both").until(() -> it.streams() == 2);
    }

    /** Another server may be at the address by now, such as one that asks to sign in. */
    @Test
    void aPageOfAnotherServerIsNotShown() throws Exception {
        program("curl", "cat >/dev/null; echo '<html>Please sign in</html>'");
        assertThat(hooked("{\"session_id\":\"s\",\"hook_event_name\":\"SessionStart\"}"))
                .isEmpty();
    }

    private static String json(String text) {
        return text.replace('\'', '"').replace('~', '\\');
    }

    @Test
    void aHookSendsOnlyWhatTheEngineNeeds() throws Exception {
        program("curl", "cat"); // Prints what it would send.
        var common =
                "{'session_id':'s','transcript_path':'/secret','cwd':'/home/~'u','tool_name':'Edit','tool_input':{'old_string':'secret ~' ~~',%s},'tool_response':{'session_id':'secret'},'prompt':'a ~'b~' ü~n','prompt_response':'secret','last_assistant_message':'secret','stop_hook_active':true,'hook_event_name':'%s'}";
        var edit = ",'tool_name':'Edit','cwd':'/home/~'u','tool_input':";
        for (var expected : new String[][] {
            {"'file_path':'no'", "SessionStart", ""},
            {"'file_path':'no'", "UserPromptSubmit", ",'prompt':'a ~'b~' ü~n'"},
            {"'file_path':'no'", "PostToolUse", ",'tool_name':'Edit'"},
            {"'file_path':'no'", "Stop", ",'stop_hook_active':'true'"},
            {"'file_path':'no'", "AfterAgent", ",'stop_hook_active':'true'"},
            {"'file_path':'a~'b','edits':[{'file_path':'secret'}]", "PreToolUse", edit + "{'file_path':'a~'b'}"},
            {
                "'command':['apply_patch','*** Begin Patch~n*** Update File: c~~new~n@@ secret~n*** Add File: d~n+*** Add File: secret']",
                "PreToolUse",
                edit + "{'patch':'*** Update File: c~~new~n*** Add File: d'}"
            },
        }) {
            var sent = "{'hook_event_name':'%s','session_id':'s'%s}".formatted(expected[1], expected[2]);
            var printed = hooked(json(common.formatted(expected[0], expected[1])));
            assertThat(printed.replaceAll(",\"system\":\"[^\"]*\"", "")).isEqualTo(json(sent));
        }
        var shell = json(common.formatted("'command':'rm ~'a~' ~~~n','description':'secret'", "PreToolUse"));
        assertThat(hooked(shell.replace("Edit", "Bash")))
                .contains(json("'tool_input':{'command':'rm ~'a~' ~~~n'}"))
                .doesNotContain("secret");
        var list = json(common.formatted("'command':['bash','-lc','rm a'],'workdir':'b'", "PreToolUse"));
        assertThat(hooked(list.replace("Edit", "shell")))
                .contains(json("'tool_input':{'workdir':'b','command':['bash','-lc','rm a']}"));
        for (var none : List.of("", "{}", "null", "{\"hook_event_name\"", "[\"session_id\"]")) {
            assertThat(hooked(none)).as(none).isEmpty();
        }
    }

    @Test
    void beforeAnEditTheHookFindsTheRepository() throws Exception {
        program("curl", "cat");
        var boat = Files.createDirectories(folder.resolve("boat/.git")).getParent();
        var event =
                "{'hook_event_name':'PreToolUse','session_id':'s','tool_name':'Edit','cwd':'%s','tool_input':{'%s':'%s'}%s}";
        for (var inside : new String[][] {
            {boat + "/src/a", "file_path", "B.java"},
            {boat + "/src/a", "patch", "*** Update File: B.java"},
            {folder.toString(), "file_path", boat + "/new/B.java"},
        }) {
            assertThat(Json.readObject(hooked(json(event.formatted(inside[0], inside[1], inside[2], "")))
                                    .getBytes(UTF_8))
                            .path("root")
                            .asString(""))
                    .isEqualTo(boat.toRealPath().toString());
        }
        var linked = Files.createSymbolicLink(folder.resolve("linked"), boat);
        Files.createDirectories(boat.resolve("src/a"));
        var sent = hooked(json(event.formatted(linked, "file_path", linked + "/src/a/new/B.java", "")));
        var real = boat.toRealPath().toString();
        assertThat(sent)
                .contains(json("'root':'%s'".formatted(real)), json("'real_cwd':'%s'".formatted(real)))
                .contains(json("'real_file':'%s/src/a/new/B.java'".formatted(real)));
        assertThat(hooked(json(event.formatted("/nowhere", "file_path", "/nowhere/at/all", ""))))
                .doesNotContain("'root'".replace('\'', '"'));
    }
}
