package io.agentworkspace.engine.workspace.domains;

import static io.agentworkspace.engine.testing.DomainSetup.agent;
import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.enter;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.readDomain;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static io.agentworkspace.engine.testing.DomainSetup.unread;
import static io.agentworkspace.engine.testing.DomainSetup.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DomainToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    private static String create(String name, String rest) {
        return "{'vx':{'name':'%s'%s}}".formatted(name, rest);
    }

    @Test
    void aNewDomainHasItsHostAndTheZoneMain() {
        agents(ann, "Ada");
        var made = ann.call("DM_Create", """
                {'target':{'agent':'ada'},'vx':{'name':' Library ','description':'Books.','profile':'Be quiet.'}}""").ok();
        assertThat(made.text("/domain/name")).isEqualTo("Library");
        assertThat(made.text("/domain/description")).isEqualTo("Books.");
        assertThat(made.text("/domain/profile")).isEqualTo("Be quiet.");
        assertThat(made.text("/domain/access")).isEqualTo("private");
        assertThat(made.text("/domain/owner")).isEqualTo("ann");
        assertThat(made.text("/domain/host")).isEqualTo("Ada");
        assertThat(made.number("/revision")).isEqualTo(1);
        var read = readDomain(ann, "LIBRARY").ok();
        assertThat(read.at("/profile/0")).isEqualTo(made.at("/domain"));
        assertThat(read.texts("/content", "agent")).containsExactly("Ada");
        assertThat(read.texts("/content", "role")).containsExactly("host");
        assertThat(read.texts("/content", "state")).containsExactly("member");
        assertThat(read.at("/content/0/online").asBoolean()).isTrue();
        assertThat(read.text("/content/0/since")).isEqualTo(made.text("/domain/created_at"));
        assertThat(read.texts("/zones", "name")).containsExactly("main");
        assertThat(read.at("/messages").size()).isZero();
    }

    @Test
    void selfBecomesTheHostAndHearsWhatIsSaid() {
        agents(ann, "Ada");
        var made = ann.call("DM_Create", "{'target':{'context':'Ada'},'vx':{'name':'Library','description':'d'}}")
                .ok();
        assertThat(made.text("/domain/host")).isEqualTo("Ada");
        say(ann, "default", "Library", "main", "hello").ok();
        assertThat(unread(ann, "Ada")).isEqualTo(1);
    }

    @Test
    void withoutAnAgentItHasNeitherHostNorMembers() {
        domain(ann, "Library", "private");
        var read = readDomain(ann, "Library").ok();
        assertThat(read.at("/profile/0/host").isMissingNode()).isTrue();
        assertThat(read.at("/content").size()).isZero();
        assertThat(read.texts("/zones", "name")).containsExactly("main");
    }

    @Test
    void theHostMustBeOnesOwnAgentUnlessAnAdminSaysSo() {
        agent(bob, "Open", "public");
        agent(bob, "Closed", "private");
        var request = "{'target':{'agent':'%s'},'vx':{'name':'Library','description':'d'}}";
        ann.call("DM_Create", request.formatted("Open")).refused(2003, "your own agent", "'Open'");
        ann.call("DM_Create", request.formatted("Closed")).refused(3001, "'Closed'");
        readDomain(ann, "Library").refused(3001);
        var made = tenant.person("eve", Role.ADMIN)
                .call("DM_Create", request.formatted("Closed"))
                .ok();
        assertThat(made.text("/domain/host")).isEqualTo("Closed");
        assertThat(made.text("/domain/owner")).isEqualTo("eve");
    }

    @Test
    void anAdminCreatesForAnotherUser() {
        var eve = tenant.person("eve", Role.ADMIN);
        var request = "{'target':{'user':'bob'},'vx':{'name':'Library','description':'d'}}";
        assertThat(eve.call("DM_Create", request).ok().text("/domain/owner")).isEqualTo("bob");
        readDomain(bob, "Library").ok();
        ann.call("DM_Create", request).refused(2003, "'ann'");
    }

    @Test
    void nameAndDescriptionAreNeeded() {
        ann.call("DM_Create").refused(1003, "vx.name and vx.description are required");
        ann.call("DM_Create", create(" ", ",'description':'d'")).refused(1003, "vx.name is required");
        ann.call("DM_Create", create("x", "")).refused(1003, "vx.description is required");
        ann.call("DM_Create", create("x", ",'description':' '")).refused(1003, "vx.description is required");
        domain(ann, "x", "private");
        ann.call("DM_Update", "{'target':{'domain':'x'}}").refused(1003, "vx.name and vx.description are required");
        ann.call("DM_Update", "{'target':{'domain':'x'},'vx':{'name':'y'}}")
                .refused(1003, "vx.description is required");
        ann.call("DM_Update", create("y", ",'description':'d'")).refused(1003, "target.domain is required");
        ann.call("DM_Destroy").refused(1003, "target.domain is required");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "Zürich 2.0_x-y", "図書館", "1"})
    void aNameMayBeAnythingWithinTheRules(String name) {
        domain(ann, name, "private");
        assertThat(readDomain(ann, name).ok().text("/profile/0/name")).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a:b", "a\\nb", "😀", "a,b"})
    void otherNamesAreRefused(String name) {
        ann.call("DM_Create", create(name, ",'description':'d'")).refused(1004, "vx.name", "1–64");
    }

    @Test
    void lengthsHoldAtTheirEdges() {
        domain(ann, "n".repeat(64), "private");
        ann.call("DM_Create", create("n".repeat(65), ",'description':'d'")).refused(1004, "vx.name");
        ann.call("DM_Create", create("a", ",'description':'%s'".formatted("d".repeat(2_000))))
                .ok();
        ann.call("DM_Create", create("b", ",'description':'%s'".formatted("d".repeat(2_001))))
                .refused(1005, "2,000");
        ann.call("DM_Create", create("c", ",'description':'d','profile':'%s'".formatted("p".repeat(16_000))))
                .ok();
        ann.call("DM_Create", create("e", ",'description':'d','profile':'%s'".formatted("p".repeat(16_001))))
                .refused(1005, "16,000");
        ann.call("DM_Create", create("f", ",'description':'d','access':'bank'"))
                .refused(1004, "vx.access", "private, domain");
    }

    @Test
    void aNameIsTakenWhateverItsCase() {
        domain(ann, "Library", "private");
        bob.call("DM_Create", create("LIBRARY", ",'description':'d'"))
                .refused(3002, "'LIBRARY' is taken: choose another name, or change that domain with DM_Update");
        domain(ann, "Archive", "private");
        ann.call("DM_Update", "{'target':{'domain':'Archive'},'vx':{'name':'library','description':'d'}}")
                .refused(3002, "'library' is taken: choose another name");
        ann.call("DM_Update", "{'target':{'domain':'library'},'vx':{'name':'LIBRARY','description':'d'}}")
                .ok();
        assertThat(readDomain(ann, "library").ok().text("/profile/0/name")).isEqualTo("LIBRARY");
    }

    @ParameterizedTest
    @CsvSource({"private, false", "domain, false", "agent, false", "public, true"})
    void whoMaySeeADomain(String access, boolean stranger) {
        agent(bob, "Ben", "public");
        agents(ann, "Ada");
        hosted(ann, "Library", access, "Ada");
        var cat = tenant.member("cat");
        assertThat(sees(ann)).isTrue();
        assertThat(sees(tenant.person("eve", Role.ADMIN))).isTrue();
        assertThat(sees(cat)).isEqualTo(stranger);
        assertThat(sees(bob)).isEqualTo(stranger);
        invite(ann, "Library", "Ben").ok();
        assertThat(sees(bob)).isTrue();
        invite(bob, "Library", "Ben").ok();
        assertThat(sees(bob)).isTrue();
        DomainSetup.of(ann, "DM_Ban", "Library", "Ben").ok();
        assertThat(sees(bob)).isEqualTo(stranger);
        assertThat(sees(cat)).isEqualTo(stranger);
    }

    /** Returns whether the person sees the domain through every reading command. */
    private static boolean sees(TestCaller person) {
        var code = readDomain(person, "Library").code();
        assertThat(code).isIn(0, 3001);
        assertThat(person.call("ZN_List", "{'target':{'domain':'Library'}}").code())
                .isEqualTo(code);
        assertThat(person.call("DM_List").ok().texts("/profile", "name").contains("Library"))
                .isEqualTo(code == 0);
        return code == 0;
    }

    @ParameterizedTest
    @ValueSource(strings = {"DM_Read", "DM_Destroy", "ZN_List", "ZN_Enter", "ZN_Read"})
    void aHiddenDomainAnswersLikeAnAbsentOne(String service) {
        domain(ann, "Library", "private");
        domain(bob, "Librarian", "private");
        var hidden = bob.call(service, "{'target':{'domain':'Library'}}").refused(3001, "did you mean 'Librarian'?");
        ann.call("DM_Destroy", "{'target':{'domain':'Library'}}").ok();
        assertThat(bob.call(service, "{'target':{'domain':'Library'}}").note()).isEqualTo(hidden.note());
    }

    @Test
    void updatingReplacesNameAndDescriptionAndKeepsTheRest() {
        ann.call("DM_Create", create("Library", ",'description':'d','profile':'p','access':'public'"))
                .ok();
        var updated = ann.call(
                        "DM_Update",
                        "{'target':{'domain':'library'},'vx':{'name':'Archive','description':'Old books.'}}")
                .ok();
        assertThat(updated.text("/domain/name")).isEqualTo("Archive");
        assertThat(updated.text("/domain/description")).isEqualTo("Old books.");
        assertThat(updated.text("/domain/profile")).isEqualTo("p");
        assertThat(updated.text("/domain/access")).isEqualTo("public");
        assertThat(updated.number("/revision")).isEqualTo(2);
        assertThat(updated.at("/changed").asBoolean()).isTrue();
        assertThat(readDomain(ann, "Archive").ok().at("/profile/0")).isEqualTo(updated.at("/domain"));
        readDomain(ann, "Library").refused(3001);
        var closed = ann.call(
                        "DM_Update",
                        "{'target':{'domain':'Archive'},'vx':{'name':'Archive','description':'d','access':'domain'}}")
                .ok();
        assertThat(closed.text("/domain/access")).isEqualTo("domain");
        readDomain(bob, "Archive").refused(3001);
    }

    @Test
    void aRenamedDomainStaysEntered() {
        domain(ann, "Library", "private");
        enter(ann, "default", "Library", "main").ok();
        var renamed =
                ann.call("DM_Update", "{'target':{'domain':'Library'},'vx':{'name':'Archive','description':'d'}}");
        assertThat(renamed.ok().text("/header/context/domain")).isEqualTo("Archive");
        assertThat(ann.call("DM_Read").ok().text("/profile/0/name")).isEqualTo("Archive");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DM_Update", "DM_Destroy"})
    void anOutdatedRevisionChangesNothing(String service) {
        domain(ann, "Library", "private");
        var rest = service.equals("DM_Update") ? ",'vx':{'name':'Library','description':'d'}" : "";
        var update = "{'target':{'domain':'Library'},'if_revision':%d%s}";
        ann.call(service, update.formatted(2, rest)).refused(3003, "if_revision is 2", "is now 1");
        assertThat(readDomain(ann, "Library").ok().number("/profile/0/revision"))
                .isEqualTo(1);
        ann.call(service, update.formatted(1, rest)).ok();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DM_Update", "DM_Destroy"})
    void changingIsForTheOwnerAndAdmins(String service) {
        agents(bob, "Ben");
        hosted(tenant.person("eve", Role.ADMIN), "Library", "public", "Ben");
        var arguments = "{'target':{'domain':'Library','context':'%s'}"
                + (service.equals("DM_Update") ? ",'vx':{'name':'Library','description':'new'}}" : "}");
        ann.call(service, arguments.formatted("default"))
                .refused(2003, "the domain 'Library' belongs to 'eve': only its owner and admins");
        bob.call(service, arguments.formatted("Ben")).refused(2003, "only its owner");
        assertThat(readDomain(ann, "Library").ok().number("/profile/0/revision"))
                .isEqualTo(1);
        tenant.owner().call(service, arguments.formatted("default")).ok();
    }

    @Test
    void destroyingTakesZonesMessagesMembershipsAndContextsAlong() {
        agents(ann, "Ada");
        agents(bob, "Ben");
        hosted(ann, "Library", "public", "Ada");
        invite(bob, "Library", "Ben").ok();
        zone(ann, "Library", "Desk");
        enter(ann, "Ada", "Library", "Desk").ok();
        enter(bob, "Ben", "Library", "Desk").ok();
        say(ann, "Ada", "Library", "Desk", "hello").ok();
        assertThat(unread(bob, "Ben")).isEqualTo(1);
        var destroyed = ann.call("DM_Destroy", "{'target':{'domain':'Library','context':'Ada'}}")
                .ok();
        assertThat(destroyed.at("/changed").asBoolean()).isTrue();
        assertThat(destroyed.at("/header/context/domain").isMissingNode()).isTrue();
        assertThat(unread(bob, "Ben")).isZero();
        var context = bob.call("US_Read", "{'target':{'context':'Ben'}}").ok();
        assertThat(context.at("/header/context/domain").isMissingNode()).isTrue();
        assertThat(context.at("/header/context/zone").isMissingNode()).isTrue();
        assertThat(bob.call("AP_Read", "{'target':{'agent':'Ben'}}")
                        .ok()
                        .at("/content")
                        .size())
                .isZero();
        domain(bob, "Library", "private");
        assertThat(readDomain(bob, "Library").ok().texts("/zones", "name")).containsExactly("main");
    }

    @Test
    void anAgentNamedInDestroyIsOnlyForWhomOneActs() {
        agents(ann, "Ada");
        agent(bob, "Ben", "public");
        hosted(ann, "Library", "public", "Ada");
        invite(bob, "Library", "Ben").ok();
        DomainSetup.of(ann, "DM_Destroy", "Library", "Ben").refused(1004, "target.agent", "DM_Kick");
        DomainSetup.of(ann, "DM_Destroy", "Library", "Ada").ok();
    }

    @Test
    void nothingIsDestroyedOutOfTheContext() {
        domain(ann, "Library", "private");
        enter(ann, "default", "Library", "main").ok();
        ann.call("DM_Destroy").refused(1003, "target.domain is required");
        ann.call("DM_Update", create("x", ",'description':'d'")).refused(1003, "target.domain is required");
        ann.call("ZN_Create", create("x", "")).refused(1003, "target.domain is required");
        ann.call("ZN_Destroy").refused(1003, "target.domain and target.zone are required");
    }

    @Test
    void readingTakesTheEnteredDomainAndNothingElse() {
        domain(ann, "Library", "private");
        ann.call("DM_Read").refused(1006, "ZN_Enter");
        ann.call("ZN_List").refused(1006, "ZN_Enter");
        enter(ann, "default", "Library", "main").ok();
        assertThat(ann.call("DM_Read").ok().text("/profile/0/name")).isEqualTo("Library");
        assertThat(ann.call("ZN_List").ok().texts("/profile", "name")).containsExactly("main");
        ann.call("DM_Read", "{'target':{'context':'other'}}").refused(1006, "ZN_Enter");
    }

    @Test
    void anEnteredDomainThatBecameHiddenIsNoLongerRead() {
        agents(ann, "Ada");
        agents(bob, "Ben");
        hosted(ann, "Library", "public", "Ada");
        invite(bob, "Library", "Ben").ok();
        enter(bob, "Ben", "Library", "main").ok();
        ann.call(
                        "DM_Update",
                        "{'target':{'domain':'Library'},'vx':{'name':'Library','description':'d','access':'private'}}")
                .ok();
        DomainSetup.of(ann, "DM_Kick", "Library", "Ben").ok();
        bob.call("DM_Read", "{'target':{'context':'Ben'}}").refused(1006, "ZN_Enter");
        bob.call("ZN_Read", "{'target':{'context':'Ben'}}").refused(1006, "ZN_Enter");
    }

    @Test
    void onlyOwnerAndAdminsSeeTheBanned() {
        agents(ann, "Ada");
        agent(bob, "Ben", "public");
        agent(bob, "Bea", "public");
        agents(bob, "Bud");
        hosted(ann, "Library", "public", "Ada");
        DomainSetup.of(ann, "DM_Ban", "Library", "Ben").ok();
        invite(bob, "Library", "Bud").ok();
        invite(ann, "Library", "Bea").ok();
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent"))
                .containsExactly("Ada", "Bea", "Ben", "Bud");
        assertThat(readDomain(tenant.owner(), "Library").ok().texts("/content", "state"))
                .containsExactly("member", "member", "banned", "member");
        assertThat(readDomain(bob, "Library").ok().texts("/content", "agent")).containsExactly("Ada", "Bea", "Bud");
    }

    @Test
    void membersComeInPagesByNameOrOneAlone() {
        domain(ann, "Library", "private");
        for (var i = 0; i < 55; i++) {
            ann.call("AP_Create", "{'vx':{'name':'a%02d','description':'d'}}".formatted(i))
                    .ok();
            invite(ann, "Library", "a%02d".formatted(i)).ok();
        }
        var first = readDomain(ann, "Library").ok();
        assertThat(first.at("/content").size()).isEqualTo(50);
        var second = ann.call(
                        "DM_Read",
                        "{'target':{'domain':'Library'},'page':{'cursor':'%s'}}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(second.texts("/content", "agent")).containsExactly("a50", "a51", "a52", "a53", "a54");
        assertThat(second.at("/next_cursor").isMissingNode()).isTrue();
        var all = ann.call("DM_Read", "{'target':{'domain':'Library'},'page':{'limit':55}}")
                .ok();
        assertThat(all.at("/content").size()).isEqualTo(55);
        assertThat(all.at("/next_cursor").isMissingNode()).isTrue();
        assertThat(DomainSetup.of(ann, "DM_Read", "Library", "A07").ok().texts("/content", "agent"))
                .containsExactly("a07");
        assertThat(DomainSetup.of(ann, "DM_Read", "Library", "nobody")
                        .ok()
                        .at("/content")
                        .size())
                .isZero();
        assertThat(ann.call("DM_List").ok().number("/content/0/members")).isEqualTo(55);
        ann.call("DM_Read", "{'target':{'domain':'Library'},'page':{'cursor':'!'}}")
                .refused(1004, "page.cursor");
        ann.call("DM_Read", "{'target':{'domain':'Library'},'page':{'limit':0}}")
                .refused(1004, "page.limit");
    }

    @Test
    void theLatestMessagesOfAllZonesAreForThoseWhoTakePart() {
        agents(ann, "Ada");
        hosted(ann, "Library", "public", "Ada");
        zone(ann, "Library", "Desk");
        for (var i = 1; i <= 22; i++) {
            say(ann, "default", "Library", i % 2 == 0 ? "main" : "Desk", "m%02d".formatted(i))
                    .ok();
        }
        var read = readDomain(ann, "Library").ok();
        assertThat(read.texts("/messages", "content"))
                .hasSize(20)
                .startsWith("m03", "m04")
                .endsWith("m21", "m22")
                .isSorted();
        assertThat(read.texts("/messages", "zone")).startsWith("Desk", "main");
        assertThat(unread(ann, "Ada")).isEqualTo(22);
        assertThat(readDomain(tenant.owner(), "Library").ok().at("/messages").size())
                .isEqualTo(20);
        assertThat(readDomain(bob, "Library").ok().at("/messages").isMissingNode())
                .isTrue();
        agents(bob, "Ben");
        invite(bob, "Library", "Ben").ok();
        assertThat(readDomain(bob, "Library").ok().at("/messages").size()).isEqualTo(20);
    }

    @Test
    void anInvitedUserSeesTheDomainButNotWhatIsSaid() {
        agent(bob, "Ben", "public");
        domain(ann, "Library", "private");
        say(ann, "default", "Library", "main", "secret").ok();
        invite(ann, "Library", "Ben").ok();
        var read = readDomain(bob, "Library").ok();
        assertThat(read.texts("/content", "state")).containsExactly("invited");
        assertThat(read.at("/messages").isMissingNode()).isTrue();
    }

    @Test
    void theListTellsHowOneStandsAndPages() {
        agent(ann, "Ada", "public");
        agent(ann, "Amy", "public");
        domain(bob, "d1", "public");
        domain(bob, "d2", "private");
        domain(bob, "d3", "private");
        domain(bob, "d4", "public");
        domain(bob, "d5", "private");
        domain(ann, "e1", "private");
        invite(ann, "d1", "Ada").ok();
        DomainSetup.of(bob, "DM_Ban", "d1", "Amy").ok();
        invite(bob, "d2", "Ada").ok();
        DomainSetup.of(bob, "DM_Ban", "d4", "Ada").ok();
        invite(bob, "d5", "Ada").ok();
        invite(ann, "d5", "Ada").ok();
        invite(ann, "d5", "Amy").ok();
        DomainSetup.of(ann, "DM_Kick", "d5", "Ada").ok();
        var all = ann.call("DM_List").ok();
        assertThat(all.texts("/profile", "name")).containsExactly("d1", "d2", "d4", "e1");
        assertThat(all.texts("/content", "domain")).containsExactly("d1", "d2", "d4", "e1");
        assertThat(all.texts("/content", "state")).containsExactly("member", "invited", "banned", "");
        assertThat(all.texts("/content", "members")).containsExactly("1", "0", "0", "0");
        assertThat(ann.call("DM_List", "{'target':{'domain':'D'}}").ok().texts("/profile", "name"))
                .containsExactly("d1", "d2", "d4");
        var page = ann.call("DM_List", "{'page':{'limit':3}}").ok();
        assertThat(page.texts("/profile", "name")).containsExactly("d1", "d2", "d4");
        var next = ann.call("DM_List", "{'page':{'limit':3,'cursor':'%s'}}".formatted(page.text("/next_cursor")))
                .ok();
        assertThat(next.texts("/profile", "name")).containsExactly("e1");
        assertThat(next.at("/next_cursor").isMissingNode()).isTrue();
        assertThat(bob.call("DM_List", "{'target':{'domain':'none'}}")
                        .ok()
                        .at("/content")
                        .size())
                .isZero();
    }

    @Test
    void aViewerReadsAndMovesButChangesNothing() {
        domain(ann, "Library", "public");
        var vic = tenant.person("vic", Role.VIEWER);
        readDomain(vic, "Library").ok();
        vic.call("DM_Create", create("x", ",'description':'d'")).refused(2003, "'viewer'");
        vic.call("DM_Destroy", "{'target':{'domain':'Library'}}").refused(2003, "'viewer'");
        vic.call("ZN_Leave").ok();
    }

    @Test
    void anotherTenantSeesAndChangesNothing() {
        agents(ann, "Ada");
        hosted(ann, "Library", "public", "Ada");
        say(ann, "Ada", "Library", "main", "secret").ok();
        var before = readDomain(ann, "Library").ok();
        var other = new TestTenant();
        var stranger = other.owner();
        readDomain(stranger, "Library").refused(3001);
        assertThat(stranger.call("DM_List").ok().at("/profile").size()).isZero();
        agents(stranger, "Ada");
        hosted(stranger, "Library", "private", "Ada");
        zone(stranger, "Library", "Desk");
        assertThat(readDomain(stranger, "Library").ok().at("/messages").size()).isZero();
        stranger.call("DM_Update", "{'target':{'domain':'Library'},'vx':{'name':'Library','description':'theirs'}}")
                .ok();
        stranger.call("DM_Destroy", "{'target':{'domain':'Library'}}").ok();
        var after = readDomain(ann, "Library").ok();
        for (var part : new String[] {"/profile", "/content", "/zones", "/messages"}) {
            assertThat(after.at(part)).isEqualTo(before.at(part));
        }
    }
}
