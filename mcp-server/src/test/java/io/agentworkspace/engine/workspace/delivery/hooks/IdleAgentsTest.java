package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.EncodingType;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestServer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An idle coding agent takes a turn for a message, and a busy one is told once. {@code ./engine test -Dtest=IdleAgentsTest -Dhearing.rounds=50} measures
 * how long that takes, from before AP_Chat until the agent asks its model.
 */
@Tag("slow")
class IdleAgentsTest {
    private static final int ROUNDS = Integer.getInteger("hearing.rounds", 2);
    private static final String NOTICE = "1 new message from Bert";

    /** What a listener or a hook says of one message. */
    private static final Pattern NEW = Pattern.compile("1 new message (from Bert|waits for the agent Ada)");

    /** What a model was shown that began a turn for a message, and when. */
    private record Turn(String input, long nanos) {}

    private final HookFixture it = new HookFixture();
    private final BlockingQueue<Turn> turns = new LinkedBlockingQueue<>();
    private final ScriptedModel model = new ScriptedModel(this::reply);

    @TempDir(cleanup = CleanupMode.NEVER)
    Path home;

    private String reply(String input) {
        if (input.contains(NOTICE)) {
            turns.add(new Turn(input, System.nanoTime()));
        }
        return "done";
    }

    @BeforeEach
    void letBertWriteOften() {
        for (var agent : List.of("Ada", "Bert")) {
            call(
                    it.owner,
                    "AP_Modify",
                    "{'target':{'agent':'%s'},'guard':{'hops':64,'per_minute':600}}".formatted(agent));
        }
    }

    @Test
    void claudeCode() throws InterruptedException {
        var agent = new CodingAgent(home).claude(model, TestServer.url(), it.ada);
        try (model;
                var terminal = agent.terminal("claude")) {
            takesTurns("Claude Code", terminal);
        }
    }

    @Test
    void codex() throws InterruptedException {
        var agent = new CodingAgent(home).codex(model, "gpt-6-sol", TestServer.url(), it.ada);
        try (model;
                var terminal = agent.codexTerminal("hello")) {
            awaitIdle(1);
            takesTurns("Codex", terminal);
        }
    }

    /** With what the line of an invitation installs, instead of the plugin. */
    @Test
    void claudeCodeThatJoined() throws InterruptedException {
        var agent = joined(new CodingAgent(home).claude(model), "claude-code");
        try (model;
                var terminal = agent.terminal("claude")) {
            takesTurns("Claude Code that joined", terminal);
        }
    }

    @Test
    void codexThatJoined() throws InterruptedException {
        var agent = joined(new CodingAgent(home).codex(model, "gpt-6-sol"), "codex");
        try (model;
                var terminal = agent.codexTerminal("hello")) {
            awaitIdle(1);
            takesTurns("Codex that joined", terminal);
        }
    }

    /** Its background server outlives each window, and would take invisible turns. */
    @Test
    void eachWindowOfCodexHearsUntilItIsClosed() throws InterruptedException {
        var agent = joined(new CodingAgent(home).codex(model, "gpt-6-sol"), "codex");
        try (model;
                var first = agent.codexTerminal("first")) {
            awaitIdle(1);
            try (var second = agent.terminal("codex", "second")) {
                awaitIdle(2);
                it.say("tide at six");
                takeTurn();
                takeTurn();
                readAndPause();

                quit(first);
                await("the end of the first session").until(() -> it.streams() == 1);
                it.say("tide at seven");
                takeTurn();
                readAndPause();

                quit(second);
                await("the end of the second session").until(() -> it.streams() == 0);
            }
            assertThat(call(it.bert, "AP_Chat", "{'target':{'agent':'Ada'},'content':'x'}")
                            .text("/receipt/wakes"))
                    .isEqualTo("none");
            call(it.ada, "AP_Read", "{}");
            try (var _ = agent.terminal("codex", "third")) {
                await("the third window").until(() -> it.streams() == 1);
                assertThat(turns).as("turns that nobody sees").isEmpty();
            }
        }
    }

    /** Its desktop app and its extensions of editors speak to a server of their own. */
    @Test
    void codexInAnApplicationThatJoined() throws InterruptedException {
        var agent = joined(new CodingAgent(home).codex(model, "gpt-5.5"), "codex");
        var folder = home.resolve("project").toString();
        try (model;
                var server = agent.appServer()) {
            server.trustHooks(folder);
            var thread = server.call("thread/start", "{'cwd':'%s'}".formatted(folder))
                    .at("/thread/id")
                    .asString();
            server.call("turn/start", "{'threadId':'%s','input':[{'type':'text','text':'hello'}]}".formatted(thread));
            awaitIdle(1);
            for (var round = 0; round < ROUNDS; round++) {
                it.say("tide at six");
                assertThat(takeTurn().input()).doesNotContain("tide at six");
                readAndPause();
            }
        }
        await("the end of the stream").until(() -> it.streams() == 0);
    }

    /** Its plugin, which joining installs, wakes its sessions itself. A session lives as long as the server of its windows. */
    @Test
    void opencodeThatJoined() throws InterruptedException {
        var agent = joined(new CodingAgent(home).other(model), "opencode");
        try (model;
                var server = agent.terminal("opencode", "serve", "--port", "0")) {
            var address = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
            await("its address").until(() -> address.matcher(server.screen()).find());
            var found = address.matcher(server.screen());
            assertThat(found.find()).isTrue();
            agent.run("opencode", "run", "--attach", found.group(), "hello");
            awaitIdle(1);
            for (var round = 0; round < ROUNDS; round++) {
                it.say("tide at six");
                assertThat(takeTurn().input()).doesNotContain("tide at six");
                readAndPause();
            }
        }
        await("the end of the stream").until(() -> it.streams() == 0);
    }

    /** Waits until so many sessions are woken, and the first turn of each is over: during a turn, the hooks tell. */
    private void awaitIdle(int sessions) {
        await("the sessions").until(() -> model.inputs().size() >= sessions && it.streams() == sessions);
        await("the end of their turns").until(() -> it.idle() == sessions);
    }

    private static void quit(CodingAgent.Terminal window) {
        window.type("/quit");
        await("the end of the window").until(() -> {
            if (window.process().isAlive()) {
                window.type("\r");
            }
            return !window.process().isAlive();
        });
    }

    private Turn takeTurn() throws InterruptedException {
        var turn = turns.poll(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS);
        assertThat(turn).as("a turn").isNotNull();
        return turn;
    }

    private CodingAgent joined(CodingAgent agent, String client) {
        var code = call(it.owner, "AK_Invite", "{'agent':'Ada'}").text("/invitation/code");
        agent.join(TestServer.url(), code + " --yes --client " + client);
        return agent;
    }

    /** The message comes while the model works: it is shown after the next tool or at the end of the turn, and only once. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude-code | claude -p hello --allowedTools=Bash
            codex       | codex exec --skip-git-repo-check --dangerously-bypass-hook-trust hello
            """)
    void aBusyAgentThatJoinedIsToldOnce(String client, String command) {
        var requests = new AtomicInteger();
        try (var busy = new ScriptedModel(_ -> {
            if (requests.getAndIncrement() > 0) {
                return "done";
            }
            await("a listener").until(() -> it.streams() == 1);
            it.say("tide at six");
            await("the wake-up, or a hook that will tell")
                    .until(() -> client.equals("codex")
                            || call(it.bert, "AP_Read", "{'target':{'agent':'Ada'}}")
                                    .at("/content/0/delivered_at")
                                    .isString());
            return ScriptedModel.TOOL;
        })) {
            var agent = new CodingAgent(home);
            agent = joined(client.equals("codex") ? agent.codex(busy, "gpt-5.5") : agent.claude(busy), client);
            agent.run(command.split(" "));
            var notices = busy.inputs().stream()
                    .flatMap(input -> NEW.matcher(input).results())
                    .toList();
            assertThat(notices).as(String.join("\n\n", busy.inputs())).hasSize(1);
            assertThat(NEW.matcher(busy.inputs().get(1)).find()
                            || NEW.matcher(busy.inputs().getLast()).find())
                    .isTrue();
            assertThat(call(it.ada, "AP_List", "{}").number("/header/unread")).isEqualTo(1);
        }
        await("the end of the listener").until(() -> listener().isEmpty());
    }

    private void takesTurns(String client, CodingAgent.Terminal terminal) throws InterruptedException {
        await("a listener").until(() -> it.streams() == 1);
        var listener = listener().orElseThrow();
        var millis = new long[ROUNDS];
        var tokens = 0;
        for (var round = 0; round < ROUNDS; round++) {
            var sent = System.nanoTime();
            it.say("tide at six");
            var turn = takeTurn();
            assertThat(turn.input()).doesNotContain("tide at six");
            assertThat(call(it.ada, "AP_List", "{}").number("/header/unread")).isEqualTo(1);
            millis[round] = (turn.nanos() - sent) / 1_000_000;
            tokens = tokens(turn.input());
            readAndPause();
        }
        Arrays.sort(millis);
        System.out.printf(
                "%s: p50 %,d ms, p99 %,d ms over %d turns, %d tokens each%n",
                client, millis[ROUNDS / 2], millis[ROUNDS * 99 / 100], ROUNDS, tokens);
        terminal.process().descendants().filter(each -> !isListener(each)).forEach(ProcessHandle::destroy);
        await("the end of the listener").until(() -> !listener.isAlive());
    }

    /** Ends the round: the next wake-up of a session is sent two seconds later at the earliest. Codex can ask its model twice. */
    private void readAndPause() {
        call(it.ada, "AP_Read", "{}");
        assertThat(call(it.ada, "AP_Wait", "{'wait_seconds':3}").at("/content")).isEmpty();
        turns.clear();
    }

    private static int tokens(String input) {
        var notice = input.lines().filter(line -> line.contains(NOTICE)).collect(Collectors.joining("\n"));
        return Encodings.newLazyEncodingRegistry()
                .getEncoding(EncodingType.O200K_BASE)
                .countTokens(notice);
    }

    /** Returns the request that follows the stream. */
    private static Optional<ProcessHandle> listener() {
        return ProcessHandle.allProcesses()
                .filter(IdleAgentsTest::isListener)
                .filter(process -> arguments(process).contains(TestServer.url()))
                .findFirst();
    }

    private static boolean isListener(ProcessHandle process) {
        return arguments(process).contains("/messages?for=");
    }

    private static String arguments(ProcessHandle process) {
        return String.join(" ", process.info().arguments().orElse(new String[0]));
    }
}
