package io.agentworkspace.engine.integrations.joining;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.GitFolder;
import io.agentworkspace.engine.testing.GitFolder.Ended;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The option {@code --git-hook} of joining, with a real git: Ada's Claude Code and Ben's Codex have joined on one machine. */
class GitHookTest {
    private static final String OWN = "#!/bin/sh\n# My own hook.\necho own hook\n[ ! -f stop ]\n";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller rest = tenant.person(ClientApi.REST, "rosa", Role.MEMBER);
    private final Path home;
    private final GitFolder git;

    GitHookTest(@TempDir Path folder) throws IOException {
        home = folder.toRealPath();
        git = GitFolder.init(home.resolve("yard"))
                .with(Map.of("HOME", home.toString(), "XDG_CONFIG_HOME", "", "CLAUDECODE", "", "CODEX_THREAD_ID", ""));
    }

    @BeforeEach
    void start() throws IOException {
        agents(rest, "Ada", "Ben", "Eve");
        hosted(rest, "The Yard", "public", "Ada");
        invite(rest, "The Yard", "Ben").ok();
        invite(rest, "The Yard", "Eve").ok();
        joined("claude-code", "Ada");
        joined("codex", "Ben");
    }

    private void joined(String client, String agent) throws IOException {
        var folder =
                Files.createDirectories(home.resolve(".config/agent-workspace").resolve(client));
        Files.writeString(folder.resolve("key"), key(agent) + "\n");
        Files.writeString(folder.resolve("url"), TestServer.url() + "\n");
    }

    private String key(String agent) {
        return rest.call("AK_Create", "{'name':'%s','capabilities':['*'],'agent':'%s'}".formatted(agent, agent))
                .ok()
                .text("/api_key");
    }

    private void reserve(String agent, String path) {
        TestCaller.of(ClientApi.REST, key(agent))
                .call("TK_Reserve", "{'target':{'domain':'The Yard'},'paths':['%s']}".formatted(path))
                .ok();
    }

    private Ended join(GitFolder folder, String arguments) {
        return folder.run("sh", "-c", "curl -fsS %s/join | setsid sh -s -- %s".formatted(TestServer.url(), arguments));
    }

    /** Returns the hooks of the repository with their rights and texts. */
    private SortedMap<String, String> hooks() throws IOException {
        var state = new TreeMap<String, String>();
        try (var files = Files.walk(git.path().resolve(".git"))) {
            for (var file :
                    files.filter(file -> file.toString().contains("hooks")).toList()) {
                var rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                state.put(file.toString(), rights + (Files.isRegularFile(file) ? Files.readString(file) : ""));
            }
        }
        return state;
    }

    private void ownHook() throws IOException {
        var file = Files.writeString(git.path().resolve(".git/hooks/pre-commit"), OWN);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));
    }

    @Test
    void aCommitOfWhatAnotherHoldsIsRefusedUntilTheLastClientLeaves() throws IOException {
        var before = hooks();
        assertThat(join(git, "--git-hook 'The Yard' --dry-run").good().output()).contains("adds the hook pre-commit");
        assertThat(hooks()).isEqualTo(before);
        join(git, "--git-hook 'The Yard'").good();
        assertThat(join(git, "--git-hook='The Yard'").good().output()).contains("Installed");
        reserve("Eve", "taken");
        reserve("Ada", "of-ada");
        reserve("Ben", "of-ben");
        git.commit("free").good();
        git.commit("taken").refused("'Eve' works on taken");
        git.git("reset", "--hard", "--quiet").good();
        var claude = git.with(Map.of("CLAUDECODE", "1"));
        var codex = git.with(Map.of("CODEX_THREAD_ID", "1"));
        claude.commit("of-ada").good();
        codex.commit("of-ben").good();
        codex.commit("of-ada").refused("'Ada' works on of-ada");
        git.git("reset", "--hard", "--quiet").good();
        claude.commit("of-ben").refused("'Ben' works on of-ben");
        join(git, "--leave --client codex").good();
        assertThat(hooks()).isNotEqualTo(before);
        assertThat(join(git, "--leave").good().output()).contains("restores", "hooks/pre-commit");
        assertThat(hooks()).isEqualTo(before);
        git.git("commit", "--quiet", "-m", "x").good();
        assertThat(home.resolve(".config/agent-workspace")).isEmptyDirectory();
    }

    @Test
    void aHookThatIsThereRunsFirstAndIsRestored() throws IOException {
        ownHook();
        var before = hooks();
        join(git, "--git-hook 'The Yard'").good();
        join(git, "--git-hook 'The Yard'").good();
        reserve("Eve", "taken");
        assertThat(git.commit("free").good().output()).contains("own hook");
        git.commit("taken").refused("own hook", "'Eve' works on taken");
        git.git("reset", "--hard", "--quiet").good();
        git.write("stop", "");
        assertThat(git.commit("taken").code()).isNotZero();
        join(git, "--leave").good();
        assertThat(hooks()).isEqualTo(before);
    }

    /** As the program called pre-commit does. */
    @Test
    void aHookThatAnotherProgramHasReplacedIsRestoredWhereItIsNow() throws IOException {
        ownHook();
        join(git, "--git-hook 'The Yard'").good();
        var hook = git.path().resolve(".git/hooks/pre-commit");
        var legacy = hook.resolveSibling("pre-commit.legacy");
        Files.move(hook, legacy);
        Files.writeString(hook, "#!/bin/sh\nexec \"$0.legacy\"\n");
        assertThat(hook.toFile().setExecutable(true)).isTrue();
        assertThat(git.commit("free").good().output()).contains("own hook");
        join(git, "--leave").good();
        assertThat(legacy).hasContent(OWN);
        assertThat(hook).content().contains("exec");
    }

    /** The key of another engine on this machine is not sent to this one. */
    @Test
    void anEngineGetsOnlyKeysOfItsOwn() throws IOException {
        join(git, "--git-hook 'The Yard'").good();
        Files.writeString(home.resolve(".config/agent-workspace/claude-code/url"), "http://127.0.0.1:9\n");
        reserve("Ada", "of-ada");
        git.commit("of-ada").refused("'Ada' works on of-ada");
        assertThat(git.with(Map.of("CLAUDECODE", "1")).commit("free").good().output())
                .contains("not checked: claude-code has not joined");
        Files.writeString(home.resolve(".config/agent-workspace/codex/url"), "http://127.0.0.1:9\n");
        join(git, "--git-hook 'The Yard'").refused("no coding agent has joined the engine at");
    }

    @Test
    void aCommitOfAnAgentThatIsNoMemberPassesUnchecked() throws IOException {
        join(git, "--git-hook 'The Yard'").good();
        rest.call("DM_Kick", "{'target':{'domain':'The Yard','agent':'Ben'}}").ok();
        var codex = git.with(Map.of("CODEX_THREAD_ID", "1"));
        assertThat(codex.commit("free").good().output()).contains("not checked", "Ben");
    }

    @Test
    void linesOfOthersInTheHookStay() throws IOException {
        ownHook();
        join(git, "--git-hook 'The Yard'").good();
        var hook = git.path().resolve(".git/hooks/pre-commit");
        var edited = Files.readString(hook) + "echo mine\n";
        Files.writeString(hook, edited);
        join(git, "--git-hook 'The Yard'").refused("has lines of others", "nothing was changed");
        assertThat(hook).hasContent(edited);
        join(git, "--leave").good();
        assertThat(hook).hasContent(edited);
        assertThat(git.commit("free").good().output()).contains("own hook", "mine");
    }

    @Test
    void hooksElsewhereAreLeftAloneAndTheLineForThemIsShown() throws IOException {
        git.git("config", "core.hooksPath", ".husky").good();
        git.write(".husky/pre-commit", OWN);
        var husky = git.path().resolve(".husky/pre-commit");
        assertThat(husky.toFile().setExecutable(true)).isTrue();
        var shown = join(git, "--git-hook 'The Yard'").good().output();
        assertThat(shown).contains("core.hooksPath", "nothing was changed there");
        assertThat(husky).hasContent(OWN);
        var line = shown.lines()
                .filter(each -> each.startsWith("Add this line"))
                .findFirst()
                .orElseThrow();
        Files.writeString(husky, OWN + line.substring(line.indexOf('{')) + "\n");
        reserve("Eve", "taken");
        git.commit("free").good();
        git.commit("taken").refused("own hook", "'Eve' works on taken");
        join(git, "--leave").good();
        git.commit("taken").good();
    }

    @Test
    void submodulesGetTheHook() throws IOException {
        var library = GitFolder.init(home.resolve("library"));
        git.git("submodule", "--quiet", "add", library.path().toString(), "lib").good();
        git.git("commit", "--quiet", "-m", "A submodule").good();
        var before = hooks();
        join(git, "--git-hook 'The Yard'").good();
        reserve("Eve", "lib/taken");
        git.at("lib").commit("taken").refused("'Eve' works on lib/taken");
        join(git, "--leave").good();
        assertThat(hooks()).isEqualTo(before);
    }

    @Test
    void whatCannotBeDoneIsSaidAndNothingChanges() throws IOException {
        var before = hooks();
        join(git, "--git-hook Yrd").refused("no domain 'Yrd'", "nothing was changed");
        join(git, "--git-hook").refused("--git-hook needs a domain");
        join(git.at(".."), "--git-hook 'The Yard'").refused("in no git repository");
        Files.writeString(git.path().resolve(".git/hooks/pre-commit.before-agent-workspace"), "");
        join(git, "--git-hook 'The Yard'").refused("pre-commit.before-agent-workspace already", "nothing was changed");
        Files.delete(git.path().resolve(".git/hooks/pre-commit.before-agent-workspace"));
        for (var client : new String[] {"claude-code", "codex"}) {
            Files.delete(home.resolve(".config/agent-workspace/%s/key".formatted(client)));
        }
        join(git, "--git-hook 'The Yard'").refused("no agent has joined");
        assertThat(hooks()).isEqualTo(before);
    }
}
