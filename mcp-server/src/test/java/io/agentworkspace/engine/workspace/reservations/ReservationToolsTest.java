package io.agentworkspace.engine.workspace.reservations;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ann's agent Ada and Bob's agent Ben are members of the domain Yard. */
class ReservationToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    ReservationToolsTest() {
        agents(ann, "Ada");
        agents(bob, "Ben");
        hosted(ann, "Yard", "public", "Ada");
        invite(bob, "Yard", "Ben").ok();
    }

    private static Reply reserve(TestCaller caller, String as, String paths, String more) {
        return caller.call(
                "TK_Reserve", "{'target':{'domain':'Yard','context':'%s'},'paths':[%s]%s}".formatted(as, paths, more));
    }

    private static Reply release(TestCaller caller, String as, String more) {
        return caller.call("TK_Release", "{'target':{'domain':'Yard','context':'%s'}%s}".formatted(as, more));
    }

    private List<String> reserved() {
        return ann.call("TK_List", "{'target':{'domain':'Yard'},'paths':true}")
                .ok()
                .texts("/reservations", "path");
    }

    /** Returns the domain's announcements; those that follow each other closely are one. */
    private List<String> announced() {
        return bob.call("ZN_Read", "{'target':{'domain':'Yard','context':'Ben'}}")
                .ok()
                .texts("/content", "content");
    }

    @Test
    void aPathIsTheSameHoweverItsLettersAreComposed() {
        reserve(ann, "Ada", "'src/\u00e9t\u00e9/**'", "").ok();
        reserve(bob, "Ben", "'src/e\u0301te\u0301/a.java'", "").refused(3003, "'Ada' works on");
        reserve(ann, "Ada", "'doc/U\u0308ber.md'", "").ok();
        reserve(bob, "Ben", "'doc/\u00dcber.md'", "").refused(3003, "'Ada' works on");
    }

    @Test
    void pathsThatOverlapAreRefusedAllOrNone() {
        var made = reserve(ann, "Ada", "'src/**','doc/'", ",'reason':'moving things'")
                .ok();
        assertThat(made.texts("/reservations", "path")).containsExactly("doc/**", "src/**");
        var refused = reserve(bob, "Ben", "'README.md','src/a/*.java'", "")
                .refused(3003, "'Ada' works on src/**", "moving things", "nothing was reserved");
        assertThat(refused.text("/holder")).isEqualTo("Ada");
        assertThat(refused.text("/paths/0")).isEqualTo("src/**");
        assertThat(refused.text("/reason")).isEqualTo("moving things");
        assertThat(refused.text("/until")).isNotEmpty();
        assertThat(reserved()).containsExactly("doc/**", "src/**");
        reserve(bob, "Ben", "'README.md'", "").ok();
        reserve(bob, "Ben", "'../x'", "").refused(1004, "paths[0]");
        reserve(bob, "Ben", "", "").refused(1003, "paths");
    }

    /** The own paths count, too. */
    @Test
    void aDomainHasAtMostTwoThousandReservations() {
        reserve(ann, "Ada", "'x'", "").ok();
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql("""
                            INSERT INTO reservation (tenant_id, id, domain_id, repository, path, holder_id, lease_until, created_at)
                            SELECT tenant_id, gen_random_uuid(), domain_id, '', 'y' || i, holder_id, lease_until, created_at
                              FROM reservation, generate_series(1, 1998) i WHERE tenant_id = :tenant
                            """).set("tenant", tenant.id(api)).run();
        }
        reserve(ann, "Ada", "'a','b'", "").refused(3003, "at most 2,000 reserved paths");
        reserve(bob, "Ben", "'a'", "").ok();
        reserve(ann, "Ada", "'x'", "").ok();
        reserve(bob, "Ben", "'b'", "").refused(3003, "TK_Release");
    }

    /** Each pair would take some tenths of a second. Nobody else is kept from reserving an ordinary path. */
    @Test
    void pathsThatTakeTooLongToCompareAreRefused() {
        reserve(ann, "Ada", "'x'", "").ok();
        for (var api : ClientApi.values()) {
            TestDatabase.db().sql("""
                            INSERT INTO reservation (tenant_id, id, domain_id, repository, path, holder_id, lease_until, created_at)
                            SELECT tenant_id, gen_random_uuid(), domain_id, '', repeat('{b,a*}', 48) || i || '[x]', holder_id, lease_until, created_at
                              FROM reservation, generate_series(1, 1900) i WHERE tenant_id = :tenant
                            """).set("tenant", tenant.id(api)).run();
        }
        var paths = IntStream.range(0, 50)
                .mapToObj(i -> "'%s%s'".formatted("{a,b*}".repeat(48), "[y]" + (i % 3 == 0 ? "" : "z?")))
                .collect(Collectors.joining(","));
        reserve(bob, "Ben", paths, "").refused(1004, "paths", "too long", "fewer, or simpler");
        reserve(bob, "Ben", paths, ",'dry_run':true").refused(1004, "paths", "too long");
        reserve(bob, "Ben", "'src/**','**/*.java'", "").ok();
    }

    @Test
    void aPathThatLooksLikeAnotherIsRefused() {
        reserve(ann, "Ada", "'src/\\u202Esj.x'", "").refused(1004, "paths[0]", "U+202E", "looks like another path");
        reserve(ann, "Ada", "'\uFF53\uFF52\uFF43/**'", "").refused(1004, "paths[0]", "U+FF53", "a twin of 's'");
        reserve(ann, "Ada", "'cafe\u0301/**'", "").ok();
        reserve(bob, "Ben", "'caf\u00e9/x'", "").refused(3003, "'Ada'");
    }

    @Test
    void theOtherRepositoryIsAnother() {
        reserve(ann, "Ada", "'src/**'", ",'repository':'one'").ok();
        reserve(bob, "Ben", "'src/**'", ",'repository':'two'").ok();
        reserve(bob, "Ben", "'src/x'", "").refused(3003, "'Ada'");
    }

    @Test
    void reservingAgainExtendsAndReleasingTellsTheDomain() {
        var first = reserve(ann, "Ada", "'src/**'", "").ok();
        var longer = reserve(ann, "Ada", "'src/**'", ",'lease_seconds':80000").ok();
        assertThat(longer.text("/reservations/0/lease_until")).isGreaterThan(first.text("/reservations/0/lease_until"));
        reserve(ann, "Ada", "'doc/x'", "").ok();
        assertThat(release(bob, "Ben", "").ok().at("/changed").asBoolean()).isFalse();
        assertThat(release(ann, "Ada", ",'paths':['doc/x']").ok().text("/released/0"))
                .isEqualTo("doc/x");
        assertThat(release(ann, "Ada", "").ok().text("/released/0")).isEqualTo("src/**");
        assertThat(announced())
                .containsExactly("Reserved: src/**; Reserved: doc/x; Free again: doc/x; Free again: src/**");
        reserve(bob, "Ben", "'src/a'", "").ok();
    }

    @Test
    void aDryRunOnlyChecks() {
        reserve(ann, "Ada", "'src/**'", ",'reason':'moving\\n things'").ok();
        reserve(bob, "Ben", "'src/a','README.md'", ",'dry_run':true").refused(3003, "'Ada' works on src/**");
        var free = reserve(bob, "Ben", "'README.md'", ",'dry_run':true").ok();
        assertThat(free.at("/reservations")).isEmpty();
        assertThat(reserved()).containsExactly("src/**");
        assertThat(announced()).containsExactly("Reserved: src/**: moving things");
    }

    @Test
    void whoeverWasRefusedIsToldDirectlyWhenThePathIsFreeUnlessItHasLeft() {
        reserve(ann, "Ada", "'src/**','doc/x'", "").ok();
        reserve(bob, "Ben", "'src/a'", "").refused(3003);
        reserve(bob, "Ben", "'src/b'", "").refused(3003);
        release(ann, "Ada", "").ok();
        assertThat(direct()).containsExactly("Free again: src/**, in the domain 'Yard'");
        reserve(ann, "Ada", "'src/**'", "").ok();
        reserve(bob, "Ben", "'src/a'", "").refused(3003);
        ann.call("DM_Kick", "{'target':{'domain':'Yard','agent':'Ben','context':'Ada'}}")
                .ok();
        release(ann, "Ada", "").ok();
        assertThat(direct()).isEmpty();
    }

    /** Returns what Ben was told directly since the last time. */
    private List<String> direct() {
        return bob
                .call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}")
                .ok()
                .texts("/content", "content")
                .stream()
                .filter(text -> text.contains("in the domain"))
                .toList();
    }

    @Test
    void aLeaseThatEndsFreesThePathAndTheDomainHears() {
        reserve(ann, "Ada", "'src/**'", "").ok();
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql("UPDATE reservation SET lease_until = now() WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(api))
                    .run();
        }
        assertThat(reserved()).isEmpty();
        var free = "Reserved: src/**; Free again: src/** (the lease has ended)";
        // At first one of the two endpoints may already have it and the other not.
        await().untilAsserted(() -> assertThat(announced()).containsExactly(free));
        reserve(bob, "Ben", "'src/a'", "").ok();
        assertThat(announced()).containsExactly(free + "; Ben: Reserved: src/a");
    }

    @Test
    void ofConcurrentCallsForTheSamePathOneWins() {
        var carl = tenant.person(ClientApi.REST, "carl", Role.ADMIN);
        agents(carl, "C0", "C1");
        hosted(carl, "Shed", "private", "C0");
        invite(carl, "Shed", "C1").ok();
        var answers = Concurrently.of(
                8,
                i -> carl.call(
                                "TK_Reserve",
                                "{'target':{'domain':'Shed','context':'C%d'},'paths':['a/%d','common/%s']}"
                                        .formatted(i % 2, i, i % 2 == 0 ? "*" : "x"))
                        .code());
        assertThat(answers).containsOnly(0, 3003);
        var holders = carl.call("TK_List", "{'target':{'domain':'Shed'},'paths':true}")
                .ok()
                .texts("/reservations", "holder");
        assertThat(holders.stream().distinct()).hasSize(1);
    }
}
