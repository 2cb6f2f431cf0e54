package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Codex, which is Bert, and Claude Code, which is Ada, are told to edit the same file. Bert has reserved it, so Ada's hook refuses her
 * edit and says who holds the file and why. She ends her turn, is woken when the file is free, and edits it.
 */
@Tag("slow")
class SameFileTest {
    private static final String PROMPT = "Add the tides of Sunday to tide.txt.";

    /** A wake-up, or at the end of a turn what waits: the message to Ada, and perhaps also the line in the zone. */
    private static final Pattern NEW = Pattern.compile("[12] new messages? (from Bert|waits? for the agent Ada)");

    private final HookFixture it = new HookFixture();
    private final CompletableFuture<String> refusal = new CompletableFuture<>();
    private final CompletableFuture<String> waking = new CompletableFuture<>();
    private final AtomicInteger steps = new AtomicInteger();

    @TempDir(cleanup = CleanupMode.NEVER)
    Path folder;

    private Path project() {
        return folder.resolve("project");
    }

    private Path file() {
        return project().resolve("tide.txt");
    }

    /** Reserves the file, and edits and releases it once Ada has been refused. */
    private String bert(String input) {
        var reservations = TestServer.url() + "/api/tasks/reservations";
        return switch (steps.getAndIncrement()) {
            case 0 ->
                shell("curl -fsS %s -H X-Api-Key:%s -H Content-Type:application/json -d '%s'"
                        .formatted(
                                reservations,
                                it.bert,
                                "{\"target\":{\"domain\":\"Yard\"},\"paths\":[\"*.txt\"],\"reason\":\"high water\"}"));
            case 1 -> {
                refusal.join();
                yield shell("echo first >> tide.txt && curl -fsS -X DELETE '%s?target.domain=Yard' -H X-Api-Key:%s"
                        .formatted(reservations, it.bert));
            }
            default -> "done";
        };
    }

    private static String shell(String command) {
        return "%s exec_command %s".formatted(ScriptedModel.TOOL, Json.object().put("cmd", command));
    }

    /** Writes the file. If that is refused, ends the turn; and when a message arrives, reads the file and writes it again. */
    private String ada(String input) {
        if (NEW.matcher(input).find() && !waking.isDone()) {
            waking.complete(input);
            return ScriptedModel.tool("Read", "{'file_path':'%s'}".formatted(file()));
        } else if (waking.isDone() && text().equals("first\n")) {
            return ScriptedModel.tool("Write", "{'file_path':'%s','content':'first\\nsecond\\n'}".formatted(file()));
        } else if (input.contains("has reserved") && !waking.isDone()) {
            refusal.complete(input);
            return "I go on when it is free.";
        } else if (!refusal.isDone() && input.contains(PROMPT)) {
            return ScriptedModel.tool("Write", "{'file_path':'%s','content':'second\\n'}".formatted(file()));
        }
        return "done";
    }

    @Test
    void theSecondIsRefusedWaitsAndIsWokenWhenTheFileIsFree() throws Exception {
        call(it.owner, "DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}");
        for (var agent : List.of("Ada", "Bert")) {
            call(it.owner, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
        try (var first = new ScriptedModel(this::bert);
                var second = new ScriptedModel(this::ada)) {
            var codex = new CodingAgent(folder.resolve("bert"), project())
                    .withoutListener()
                    .codex(first, "gpt-5.5", TestServer.url(), it.bert);
            var claude = new CodingAgent(folder.resolve("ada"), project()).claude(second, TestServer.url(), it.ada);
            var edited = CompletableFuture.supplyAsync(() ->
                    codex.run("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT));
            await("the reservation").until(() -> !reserved().isEmpty() || edited.isDone());
            assertThat(reserved()).containsExactly("*.txt");
            try (var _ = claude.terminal("claude", PROMPT, "--allowedTools=Read,Write")) {
                assertThat(refusal.get(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS))
                        .contains("Bert has reserved \"*.txt\" in the domain Yard until", "high water");
                assertThat(waking.get(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS))
                        .contains("Bert");
                await("the second edit").until(() -> text().equals("first\nsecond\n"));
            }
            edited.get(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(call(it.ada, "AP_Read", "{'target':{'agent':'Bert'}}").texts("/content", "content"))
                .contains("Free again: *.txt, in the domain 'Yard'");
    }

    private List<String> reserved() {
        return call(it.owner, "TK_List", "{'target':{'domain':'Yard'},'paths':true}")
                .texts("/reservations", "path");
    }

    private String text() {
        try {
            return Files.exists(file()) ? Files.readString(file()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
