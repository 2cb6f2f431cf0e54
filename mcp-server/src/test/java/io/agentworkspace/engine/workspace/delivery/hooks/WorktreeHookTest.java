package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.GitFolder;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the clients' script finds of worktrees and submodules of a real git, and what the engine then refuses. */
class WorktreeHookTest {
    private final HookFixture it = new HookFixture();
    private final GitFolder boat;

    WorktreeHookTest(@TempDir Path folder) throws IOException {
        boat = GitFolder.init(folder.toRealPath().resolve("my boat"));
    }

    @BeforeEach
    void yard() {
        call(it.owner, "DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}");
        for (var agent : List.of("Ada", "Bert")) {
            call(it.owner, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
        boat.git("worktree", "add", "--quiet", "../fix").good();
        boat.git("worktree", "add", "--quiet", ".claude/worktrees/web").good();
        var library = GitFolder.init(boat.at("../library").path());
        boat.git("submodule", "--quiet", "add", library.path().toString(), "libs/tide")
                .good();
        boat.git("commit", "--quiet", "-m", "A submodule").good();
    }

    private void bert(String more) {
        call(it.bert, "TK_Reserve", "{'target':{'domain':'Yard'},%s}".formatted(more));
    }

    private String hook(GitFolder session, String tool, String field, String value) {
        var event = Json.object()
                .put("hook_event_name", "PreToolUse")
                .put("session_id", "s")
                .put("cwd", session.path().toString())
                .put("tool_name", tool);
        event.putObject("tool_input").put(field, value);
        session.write(".event", Json.text(event));
        var ended = session.with(Map.of("ENGINE_URL", TestServer.url(), "ENGINE_KEY", it.ada))
                .run("sh", "-c", "sh '%s' claude-code <.event".formatted(Repository.file("clients/workspace/hook.sh")))
                .good();
        return ended.output();
    }

    private void assertRefused(GitFolder session, GitFolder folder, String file) {
        var path = folder.path().resolve(file).toString();
        assertThat(hook(session, "Edit", "file_path", path)).as("edit").contains("\"deny\"");
        assertThat(hook(session, "Bash", "command", "echo x > '%s'".formatted(path)))
                .as("command")
                .contains("\"deny\"");
    }

    private void assertFree(GitFolder session, GitFolder folder, String file) {
        var path = folder.path().resolve(file).toString();
        assertThat(hook(session, "Edit", "file_path", path)).as("edit").isEqualTo("{}");
        assertThat(hook(session, "Bash", "command", "echo x > '%s'".formatted(path)))
                .as("command")
                .isEqualTo("{}");
    }

    private List<GitFolder> worktrees() {
        return List.of(boat, boat.at("../fix"), boat.at(".claude/worktrees/web"));
    }

    @Test
    void aPathIsReservedInEachWorktreeOfTheRepository() {
        bert("'paths':['src/**'],'worktree':'fix'");
        for (var session : worktrees()) {
            for (var folder : worktrees()) {
                assertRefused(session, folder, "src/a");
                assertFree(session, folder, "doc/a");
            }
        }
        assertFree(boat, GitFolder.init(boat.at("../other").path()), "src/a");
    }

    @Test
    void separateWorktreesHaveReservationsOfTheirOwn() {
        call(
                it.owner,
                "DM_Update",
                "{'target':{'domain':'Yard'},'vx':{'name':'Yard','description':'d','worktrees':'separate'}}");
        bert("'paths':['fixed/**'],'worktree':'fix'");
        bert("'paths':['main/**','**/one'],'worktree':'.git'");
        bert("'paths':['all/**']");
        var fix = boat.at("../fix");
        for (var session : worktrees()) {
            assertRefused(session, fix, "fixed/a");
            assertRefused(session, boat, "main/a");
            worktrees().forEach(folder -> assertRefused(session, folder, "all/a"));
            assertFree(session, boat, "fixed/a");
            assertFree(session, fix, "main/a");
            assertFree(session, boat.at(".claude/worktrees/web"), "main/a");
            assertRefused(session, boat, "doc/one");
            assertFree(session, boat.at(".claude/worktrees/web"), "doc/one");
        }
    }

    @Test
    void aFileOfASubmoduleHasThePathThereAndThatInTheRepositoryAroundIt() throws IOException {
        bert("'paths':['libs/tide/a']");
        bert("'paths':['b']");
        var module = boat.at("libs/tide");
        for (var session : List.of(boat, module)) {
            assertRefused(session, module, "a");
            assertRefused(session, module, "b");
            assertFree(session, module, "c");
        }
        assertRefused(module, boat, "b");
        // A folder that only contains the other one is no repository around a submodule.
        Files.createDirectories(boat.path().resolve("libs/own"));
        var own = GitFolder.init(boat.at("libs/own").path());
        bert("'paths':['libs/own/a']");
        assertFree(own, own, "a");
    }

    /** The folder is renamed for git, too. */
    @Test
    void aWorktreeThatMovesKeepsItsName() {
        boat.git("worktree", "move", "../fix", "../moved").good();
        call(
                it.owner,
                "DM_Update",
                "{'target':{'domain':'Yard'},'vx':{'name':'Yard','description':'d','worktrees':'separate'}}");
        bert("'paths':['a'],'worktree':'fix'");
        assertRefused(boat, boat.at("../moved"), "a");
        assertFree(boat, boat, "a");
    }

    @Test
    void aRenameConcernsBothNames() {
        bert("'paths':['taken/**']");
        for (var command : List.of("git mv taken/a free", "git mv free taken/a", "mv taken other", "mv free taken/")) {
            assertThat(hook(boat, "Bash", "command", command)).as(command).contains("\"deny\"");
        }
        assertThat(hook(boat, "Bash", "command", "git mv free other")).isEqualTo("{}");
    }
}
