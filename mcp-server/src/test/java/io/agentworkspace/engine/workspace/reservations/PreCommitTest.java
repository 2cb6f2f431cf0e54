package io.agentworkspace.engine.workspace.reservations;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.GitFolder;
import io.agentworkspace.engine.testing.GitFolder.Ended;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code clients/pre-commit} as a hook of a real git. */
class PreCommitTest {
    private static final Path SCRIPT = Path.of("..", "clients", "pre-commit").toAbsolutePath();

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final String key = tenant.key(ClientApi.REST, "bob", Role.ADMIN, List.of("*"));

    private final GitFolder git;

    PreCommitTest(@TempDir Path folder) {
        git = GitFolder.init(folder.resolve("yard")).with(environment(TestServer.url(), key));
    }

    @BeforeEach
    void start() {
        agents(ann, "Ada");
        hosted(ann, "Yard", "public", "Ada");
        ann.call(
                        "TK_Reserve",
                        "{'target':{'domain':'Yard','context':'Ada'},'paths':['taken/**','x'],'reason':'moving \\\"things\\\"'}")
                .ok();
        git.hook(SCRIPT);
    }

    private static Map<String, String> environment(String url, String key) {
        return Map.of("ENGINE_KEY", key, "ENGINE_DOMAIN", "Yard", "ENGINE_URL", url);
    }

    private Ended commit(String file, String url) {
        return git.with(environment(url, key)).commit(file);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "taken/a.txt",
                "taken/a b.txt",
                "taken/größe/文.txt",
                "taken/quo\"te",
                "taken/line\nend",
                "taken/tab\tand\u0001",
                "taken/[x]{a,b}*?!",
                "taken/-n $(exit) `exit` %s '"
            })
    void aFileThatAnotherHoldsIsNotCommitted(String file) {
        var refused = commit(file, TestServer.url());
        assertThat(refused.output()).contains("'Ada' works on taken/**", "(moving \"things\")");
        assertThat(refused.code()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"free/a.txt", "[x]", "{x,y}", "*", "?", "größe", "\\x", "line\nx"})
    void everyOtherFileIs(String file) {
        var done = commit(file, TestServer.url());
        assertThat(done.output()).isEmpty();
        assertThat(done.code()).isZero();
    }

    @Test
    void nothingIsReservedOrReleased() {
        var bob = TestCaller.of(ClientApi.REST, key);
        bob.call("TK_Reserve", "{'target':{'domain':'Yard'},'paths':['mine.txt']}")
                .ok();
        assertThat(commit("mine.txt", TestServer.url()).code()).isZero();
        assertThat(commit("other.txt", TestServer.url()).code()).isZero();
        var all =
                bob.call("TK_List", "{'target':{'domain':'Yard'},'paths':true}").ok();
        assertThat(all.texts("/reservations", "path")).containsExactlyInAnyOrder("mine.txt", "taken/**", "x");
    }

    @Test
    void moreFilesThanOneCallTakesAreAllChecked() {
        for (var number = 100; number < 160; number++) {
            git.write("free/" + number, "text");
        }
        assertThat(commit("free/file", TestServer.url()).code()).isZero();
        for (var number = 200; number < 260; number++) {
            git.write("free/" + number, "text");
        }
        assertThat(commit("taken/file", TestServer.url()).code()).isNotZero();
    }

    /** Where the curl of Windows gets the body as a line of its configuration, which may be long, but not of any length. */
    @Test
    void onWindowsTheNamesOfManyFilesAreCheckedToo() {
        for (var number = 100; number < 130; number++) {
            git.write("free/%s%d".formatted(("a".repeat(199) + "/").repeat(17), number), "text");
        }
        var refused = git.with(Map.of("OS", "Windows_NT")).commit("taken/quo\"te");
        assertThat(refused.output()).contains("'Ada' works on taken/**");
        assertThat(refused.code()).isNotZero();
    }

    /** Such as a path of more than 300 characters, or a letter that the engine takes for another. */
    @Test
    void aPathThatTheEngineDoesNotTakeLeavesTheOthersChecked() {
        git.write("free/%s/%s".formatted("a".repeat(200), "b".repeat(150)), "text");
        git.write("free/\uff21", "text");
        commit("taken/a", TestServer.url()).refused("'Ada' works on taken/**");
        git.git("reset", "--quiet", "taken").good();
        assertThat(git.git("commit", "--quiet", "-m", "x").good().output()).contains("not checked", "300");
        commit("taken/\uff21", TestServer.url()).refused("'Ada' works on taken/**");
    }

    @Test
    void aKeyThatMayNotAskIsSaidAndTheCommitPasses() {
        var weak = tenant.key(ClientApi.REST, "eve", Role.MEMBER, List.of("agent:read"));
        var done = git.with(environment(TestServer.url(), weak)).commit("taken/file");
        assertThat(done.output()).contains("not checked", "task:write");
        assertThat(done.code()).isZero();
    }

    /** The other name is a change of the file, too. */
    @Test
    void aRenameConcernsBothNames() {
        assertThat(git.with(Map.of("ENGINE_DOMAIN", "")).commit("taken/a").code())
                .isZero();
        commit("free/b", TestServer.url()).good();
        for (var names : List.of("taken/a free/a", "free/b taken/b", "free taken/new", "taken free/old")) {
            var parts = names.split(" ", -1);
            git.git("mv", parts[0], parts[1]).good();
            git.git("commit", "--quiet", "-m", "A rename").refused("'Ada' works on taken/**");
            git.git("reset", "--quiet", "--hard").good();
        }
        git.git("mv", "free/b", "free/c").good();
        git.git("commit", "--quiet", "-m", "A rename").good();
    }

    /** What the other side of a merge has committed is no change of the one who merges. */
    @Test
    void aMergeConcernsOnlyWhatItChanges() {
        var without = git.with(Map.of("ENGINE_DOMAIN", ""));
        git.git("checkout", "--quiet", "-b", "other").good();
        without.commit("taken/a").good();
        git.write("README.md", "theirs");
        without.commit("free/a").good();
        git.git("checkout", "--quiet", "main").good();
        git.write("README.md", "mine");
        git.commit("free/b").good();
        assertThat(git.git("merge", "--quiet", "other").code()).isNotZero();
        git.write("README.md", "both");
        git.write("taken/a", "other");
        git.git("add", "-A").good();
        git.git("commit", "--quiet", "-m", "A merge").refused("'Ada' works on taken/**");
        git.git("checkout", "--quiet", "--theirs", "taken/a");
        git.git("checkout", "--quiet", "other", "--", "taken/a").good();
        git.git("commit", "--quiet", "-m", "A merge").good();
    }

    /** A domain decides whether a path is reserved in all worktrees of a repository, or in one. */
    @Test
    void worktreesShareReservationsUnlessTheDomainKeepsThemSeparate() {
        git.git("worktree", "add", "--quiet", "../fix").good();
        git.git("worktree", "add", "--quiet", ".deep/web").good();
        git.write(".git/info/exclude", ".deep\n");
        var all = List.of(git, git.at("../fix"), git.at(".deep/web"));
        for (var worktree : all) {
            worktree.commit("taken/a").refused("'Ada' works on taken/**");
            worktree.git("reset", "--quiet", "--hard").good();
        }
        var ada = "'target':{'domain':'Yard','context':'Ada'}";
        ann.call("TK_Release", "{%s}".formatted(ada)).ok();
        ann.call("TK_Reserve", "{%s,'paths':['fixed'],'worktree':'/home/ann/yard/.git/worktrees/fix/'}".formatted(ada))
                .ok();
        ann.call("TK_Reserve", "{%s,'paths':['main'],'worktree':'.git'}".formatted(ada))
                .ok();
        git.commit("fixed").refused("'Ada' works on fixed");
        git.git("reset", "--quiet", "--hard").good();
        ann.call(
                        "DM_Update",
                        "{'target':{'domain':'Yard'},'vx':{'name':'Yard','description':'d','worktrees':'separate'}}")
                .ok();
        ann.call("TK_Reserve", "{%s,'paths':['everywhere']}".formatted(ada)).ok();
        all.forEach(worktree -> worktree.commit("everywhere").refused("'Ada' works on everywhere"));
        all.forEach(worktree -> worktree.git("reset", "--quiet", "--hard").good());
        git.commit("fixed").good();
        git.commit("main").refused("'Ada' works on main");
        git.at("../fix").commit("fixed").refused("'Ada' works on fixed");
        git.at("../fix").git("reset", "--quiet", "--hard").good();
        git.at("../fix").commit("main").good();
        git.at(".deep/web").commit("main").good();
    }

    /** A file of a submodule can be reserved by its path there, and by that in the repository around it. */
    @Test
    void aFileOfASubmoduleHasTwoPaths() {
        var library = GitFolder.init(git.at("../library").path());
        library.commit("free/a").good();
        git.git("submodule", "--quiet", "add", library.path().toString(), "libs/tide")
                .good();
        git.commit("free/a").good();
        var module = git.at("libs/tide");
        module.hook(SCRIPT);
        module.commit("taken/a").refused("'Ada' works on taken/**");
        module.git("reset", "--quiet", "--hard").good();
        module.commit("free/b").good();
        git.commit("free/b").good();
        ann.call("TK_Reserve", "{'target':{'domain':'Yard','context':'Ada'},'paths':['libs/tide/free/*']}")
                .ok();
        module.commit("free/c").refused("'Ada' works on libs/tide/free/*");
        module.with(Map.of("ENGINE_DOMAIN", ""))
                .git("commit", "--quiet", "-m", "x")
                .good();
        git.commit("other").refused("'Ada' works on libs/tide/free/*");
        git.git("reset", "--quiet", "libs/tide").good();
        git.git("commit", "--quiet", "-m", "x").good();
    }

    @Test
    void withoutTheEngineEveryCommitPasses() {
        assertThat(commit("taken/file", "http://127.0.0.1:9").code()).isZero();
    }
}
