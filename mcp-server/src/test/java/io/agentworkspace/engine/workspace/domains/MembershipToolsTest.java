package io.agentworkspace.engine.workspace.domains;

import static io.agentworkspace.engine.testing.DomainSetup.agent;
import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.enter;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.of;
import static io.agentworkspace.engine.testing.DomainSetup.readDomain;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static io.agentworkspace.engine.testing.DomainSetup.unread;
import static io.agentworkspace.engine.testing.DomainSetup.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ann owns the domain Library with its host Ada; Bob owns the agent Ben. */
class MembershipToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    MembershipToolsTest() {
        agent(ann, "Ada", "public");
        agent(bob, "Ben", "public");
    }

    private void library(String access) {
        hosted(ann, "Library", access, "Ada");
    }

    private static void isNow(Reply reply, String state, boolean changed) {
        reply.ok();
        assertThat(reply.text("/membership/state")).isEqualTo(state);
        assertThat(reply.at("/changed").asBoolean()).isEqualTo(changed);
    }

    @Test
    void anInvitationWaitsForTheAgentsOwner() {
        library("private");
        var invited = invite(ann, "library", "BEN");
        isNow(invited, "invited", true);
        assertThat(invited.text("/membership/domain")).isEqualTo("Library");
        assertThat(invited.text("/membership/agent")).isEqualTo("Ben");
        assertThat(invited.text("/membership/role")).isEqualTo("member");
        assertThat(invited.text("/membership/since")).isNotEmpty();
        isNow(invite(ann, "Library", "Ben"), "invited", false);
        isNow(invite(bob, "Library", "Ben"), "member", true);
        isNow(invite(bob, "Library", "Ben"), "member", false);
        isNow(invite(ann, "Library", "Ben"), "member", false);
    }

    @Test
    void aRequestWaitsForTheDomainsSide() {
        agents(bob, "Bea");
        library("private");
        invite(bob, "Library", "Bea").refused(3001, "'Library'");
        invite(ann, "Library", "Ben").ok();
        invite(bob, "Library", "Ben").ok();
        isNow(invite(bob, "Library", "Bea"), "requested", true);
        isNow(invite(bob, "Library", "Bea"), "requested", false);
        assertThat(readDomain(ann, "Library").ok().texts("/content", "state"))
                .containsExactly("member", "requested", "member");
        isNow(invite(ann, "Library", "Bea"), "member", true);
    }

    @Test
    void whoeverDecidesForBothSidesMakesAMemberAtOnce() {
        agents(ann, "Amy");
        library("private");
        isNow(invite(ann, "Library", "Amy"), "member", true);
        isNow(invite(tenant.person("eve", Role.ADMIN), "Library", "Ben"), "member", true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPublicDomainNeedsNoAgreement(boolean byMember) {
        library("public");
        isNow(invite(byMember ? bob : ann, "Library", "Ben"), "member", true);
    }

    @Test
    void leftOutTheAgentIsSelf() {
        library("public");
        bob.call("DM_Invite", "{'target':{'domain':'Library'}}").refused(1006, "AP_LogOn");
        var joined = bob.call("DM_Invite", "{'target':{'domain':'Library','context':'Ben'}}");
        isNow(joined, "member", true);
        assertThat(joined.text("/membership/agent")).isEqualTo("Ben");
    }

    @Test
    void theDomainIsNeverTakenFromTheContext() {
        library("public");
        enter(ann, "default", "Library", "main").ok();
        for (var service : new String[] {"DM_Invite", "DM_Kick", "DM_Ban", "DM_Unban"}) {
            ann.call(service, "{'target':{'agent':'Ben'}}").refused(1003, "target.domain is required");
        }
    }

    @Test
    void nobodyIsKickedOrBannedUnnamed() {
        library("public");
        invite(bob, "Library", "Ben").ok();
        for (var service : List.of("DM_Kick", "DM_Ban", "DM_Unban")) {
            for (var context : List.of("default", "Ben", "Ada")) {
                for (var agent : List.of("", ",'agent':''", ",'agent':' '", ",'agent':null")) {
                    for (var user : List.of(bob, ann)) {
                        user.call(service, "{'target':{'domain':'Library','context':'%s'%s}}".formatted(context, agent))
                                .refused(1003, "target.agent is required");
                    }
                }
            }
        }
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent")).containsExactly("Ada", "Ben");
        of(bob, "DM_Unban", "Library", "Ben").refused(2003, "host");
        isNow(of(bob, "DM_Kick", "Library", "Ben"), "", true);
        isNow(of(bob, "DM_Kick", "Library", "Ben"), "", false);
        isNow(of(ann, "DM_Ban", "Library", "Ben"), "banned", true);
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent")).containsExactly("Ada", "Ben");
    }

    @Test
    void anAgentNamedByItselfCannotBeBannedByItEither() {
        library("public");
        invite(ann, "Library", "Ada").ok();
        ann.call("DM_Ban", "{'target':{'domain':'Library','agent':'Ada','context':'Ada'}}")
                .refused(3003, "'Ada' cannot ban itself");
    }

    @Test
    void whoDecidesForNeitherSideMayNothing() {
        library("public");
        var cat = tenant.member("cat");
        invite(cat, "Library", "Ben").refused(2003, "neither the domain 'Library' nor the agent 'Ben'", "owner");
        invite(bob, "Library", "Ben").ok();
        of(cat, "DM_Kick", "Library", "Ben").refused(2003, "'Library'", "'Ben'");
        of(cat, "DM_Ban", "Library", "Ben").refused(2003, "host");
        of(cat, "DM_Unban", "Library", "Ben").refused(2003, "host");
        of(bob, "DM_Ban", "Library", "Ada").refused(2003, "host");
        of(bob, "DM_Kick", "Library", "Ada").refused(2003);
        assertThat(readDomain(ann, "Library").ok().texts("/content", "state")).containsExactly("member", "member");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DM_Invite", "DM_Kick", "DM_Ban", "DM_Unban"})
    void hiddenDomainsAndAgentsLookAbsent(String service) {
        library("private");
        agents(bob, "Bea");
        of(bob, service, "Library", "Ben").refused(3001, "no domain 'Library'");
        of(ann, service, "Library", "Bea").refused(3001, "no agent 'Bea'", "did you mean 'Ben'");
        assertThat(of(ann, service, "Library", "Bed").refused(3001).note().replace("Bed", "Bea"))
                .isEqualTo(of(ann, service, "Library", "Bea").note());
    }

    @Test
    void anAgentThatHasToDoWithTheDomainIsKnownToIt() {
        agents(bob, "Bea");
        library("private");
        invite(ann, "Library", "Ben").ok();
        invite(bob, "Library", "Ben").ok();
        invite(ann, "Library", "Bea").refused(3001);
        invite(bob, "Library", "Bea").ok();
        isNow(of(ann, "DM_Ban", "Library", "Bea"), "banned", true);
        isNow(of(ann, "DM_Ban", "Library", "Bea"), "banned", false);
        of(bob, "DM_Kick", "Library", "Ada").refused(2003);
        of(ann, "DM_Unban", "Library", "Bea").ok();
        of(ann, "DM_Ban", "Library", "Bea").refused(3001);
    }

    @Test
    void whoeverIsLoggedOnAsTheHostDecidesForTheDomain() {
        var eve = tenant.person("eve", Role.ADMIN);
        agents(bob, "Bea");
        hosted(eve, "Hall", "private", "Ben");
        var asBen = "{'target':{'domain':'Hall','agent':'%s','context':'Ben'}}";
        isNow(bob.call("DM_Invite", asBen.formatted("Ada")), "invited", true);
        isNow(invite(ann, "Hall", "Ada"), "member", true);
        isNow(bob.call("DM_Invite", asBen.formatted("Bea")), "member", true);
        bob.call("DM_Kick", asBen.formatted("Ada")).ok();
        isNow(bob.call("DM_Ban", asBen.formatted("Ada")), "banned", true);
        of(bob, "DM_Unban", "Hall", "Ada").refused(2003, "host");
        assertThat(bob.call("DM_Unban", asBen.formatted("Ada"))
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void theHostCanBeNeitherKickedNorBanned() {
        library("private");
        of(ann, "DM_Kick", "Library", "Ada").refused(3003, "host");
        of(ann, "DM_Ban", "Library", "Ada").refused(3003, "host");
        of(tenant.owner(), "DM_Ban", "Library", "Ada").refused(3003, "host");
        assertThat(readDomain(ann, "Library").ok().texts("/content", "role")).containsExactly("host");
        isNow(invite(ann, "Library", "Ada"), "member", false);
    }

    @Test
    void kickingEndsAMembershipWhateverItsState() {
        agents(bob, "Bea");
        library("private");
        invite(ann, "Library", "Ben").ok();
        isNow(of(ann, "DM_Kick", "Library", "Ben"), "", true);
        isNow(of(ann, "DM_Kick", "Library", "Ben"), "", false);
        of(bob, "DM_Kick", "Library", "Ben").refused(3001);
        invite(ann, "Library", "Ben").ok();
        invite(bob, "Library", "Ben").ok();
        invite(bob, "Library", "Bea").ok();
        isNow(of(ann, "DM_Kick", "Library", "Bea"), "", true);
        isNow(of(ann, "DM_Kick", "Library", "Ben"), "", true);
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent")).containsExactly("Ada");
        isNow(invite(ann, "Library", "Ben"), "invited", true);
    }

    @Test
    void anAgentsOwnerMayLetItLeave() {
        library("public");
        invite(bob, "Library", "Ben").ok();
        isNow(of(bob, "DM_Kick", "Library", "Ben"), "", true);
        isNow(of(bob, "DM_Kick", "Library", "Ben"), "", false);
        isNow(invite(bob, "Library", "Ben"), "member", true);
    }

    @Test
    void aBanEndsTheMembershipAndBlocksBothSides() {
        library("public");
        invite(bob, "Library", "Ben").ok();
        isNow(of(ann, "DM_Ban", "Library", "Ben"), "banned", true);
        isNow(of(ann, "DM_Ban", "Library", "Ben"), "banned", false);
        invite(bob, "Library", "Ben").refused(3003, "banned", "DM_Unban");
        invite(ann, "Library", "Ben").refused(3003, "banned", "DM_Unban");
        invite(tenant.owner(), "Library", "Ben").refused(3003, "banned");
        isNow(of(ann, "DM_Kick", "Library", "Ben"), "banned", false);
        enter(bob, "Ben", "Library", "main").refused(3003, "not a member");
    }

    @Test
    void anAgentThatNeverBelongedCanBeBanned() {
        library("public");
        isNow(of(ann, "DM_Ban", "Library", "Ben"), "banned", true);
        invite(bob, "Library", "Ben").refused(3003);
    }

    @Test
    void liftingABanRestoresNothing() {
        library("public");
        invite(bob, "Library", "Ben").ok();
        isNow(of(ann, "DM_Unban", "Library", "Ben"), "member", false);
        of(ann, "DM_Ban", "Library", "Ben").ok();
        isNow(of(ann, "DM_Unban", "Library", "Ben"), "", true);
        isNow(of(ann, "DM_Unban", "Library", "Ben"), "", false);
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent")).containsExactly("Ada");
        isNow(invite(bob, "Library", "Ben"), "member", true);
    }

    @Test
    void aNewMemberHearsWhatIsSaidFromNowOnInEveryZone() {
        library("public");
        zone(ann, "Library", "Desk");
        say(ann, "default", "Library", "main", "before").ok();
        invite(bob, "Library", "Ben").ok();
        assertThat(unread(bob, "Ben")).isZero();
        say(ann, "default", "Library", "main", "one").ok();
        say(ann, "default", "Library", "Desk", "two").ok();
        assertThat(unread(bob, "Ben")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DM_Kick", "DM_Ban"})
    void whoIsOutHearsNothingAnyMore(String service) {
        library("public");
        invite(bob, "Library", "Ben").ok();
        enter(bob, "default", "Library", "main").ok();
        say(ann, "default", "Library", "main", "heard").ok();
        of(ann, service, "Library", "Ben").ok();
        say(ann, "default", "Library", "main", "not heard").ok();
        assertThat(unread(bob, "Ben")).isZero();
        assertThat(bob.call("AP_Read", "{'target':{'agent':'Ben'}}")
                        .ok()
                        .at("/content")
                        .size())
                .isZero();
        var said = bob.call("AP_Chat", "{'target':{'agent':'Ben'},'content':'note to self'}")
                .ok();
        assertThat(said.texts("/content", "content")).containsExactly("note to self");
        bob.call("AP_Chat", "{'content':'hello?'}").refused(3003);
        assertThat(readDomain(bob, "Library").ok().at("/messages").isMissingNode())
                .isTrue();
    }

    @Test
    void leavingCountsAnewWhatWaitsForSelf() {
        library("public");
        invite(bob, "Library", "Ben").ok();
        say(ann, "default", "Library", "main", "heard").ok();
        assertThat(unread(bob, "Ben")).isEqualTo(1);
        var left = bob.call("DM_Kick", "{'target':{'domain':'Library','agent':'Ben','context':'Ben'}}")
                .ok();
        assertThat(left.number("/header/unread")).isZero();
    }

    @Test
    void aUserWithAnotherMemberGoesOnListening() {
        agents(bob, "Bea");
        library("public");
        invite(bob, "Library", "Ben").ok();
        invite(bob, "Library", "Bea").ok();
        enter(bob, "default", "Library", "main").ok();
        of(ann, "DM_Kick", "Library", "Ben").ok();
        say(ann, "default", "Library", "main", "still heard").ok();
        assertThat(bob.call("ZN_List").ok().number("/content/0/unread")).isEqualTo(1);
        bob.call("AP_Destroy", "{'target':{'agent':'Bea'}}").ok();
        assertThat(bob.call("ZN_List").ok().number("/content/0/unread")).isZero();
    }

    @Test
    void aDestroyedAgentIsNoMember() {
        library("public");
        invite(bob, "Library", "Ben").ok();
        bob.call("AP_Destroy", "{'target':{'agent':'Ben'}}").ok();
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent")).containsExactly("Ada");
        invite(ann, "Library", "Ben").refused(3001);
    }

    @Test
    void anotherTenantsNamesAreNotMixedUp() {
        library("public");
        var stranger = new TestTenant().owner();
        agents(stranger, "Ada", "Ben");
        of(stranger, "DM_Ban", "Library", "Ben").refused(3001, "no domain 'Library'");
        domain(stranger, "Library", "public");
        isNow(of(stranger, "DM_Ban", "Library", "Ben"), "banned", true);
        isNow(of(stranger, "DM_Kick", "Library", "Ada"), "", false);
        isNow(invite(bob, "Library", "Ben"), "member", true);
        assertThat(readDomain(ann, "Library").ok().texts("/content", "agent")).containsExactly("Ada", "Ben");
    }

    @Test
    void concurrentTwinsMakeOneMembership() throws Exception {
        var owner = tenant.person(ClientApi.MCP, "olga", Role.OWNER);
        domain(owner, "Crowd", "private");
        agents(owner, "Oak");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Reply> twin = () -> invite(owner, "Crowd", "Oak").ok();
            var replies =
                    threads.invokeAll(IntStream.range(0, 20).mapToObj(_ -> twin).toList());
            var changed = 0;
            for (var reply : replies) {
                assertThat(reply.get().text("/membership/state")).isEqualTo("member");
                changed += reply.get().at("/changed").asBoolean() ? 1 : 0;
            }
            assertThat(changed).isEqualTo(1);
        }
        assertThat(readDomain(owner, "Crowd").ok().texts("/content", "agent")).containsExactly("Oak");
    }

    @Test
    void bothSidesAtTheSameTimeMakeAMember() throws Exception {
        var owner = tenant.person(ClientApi.MCP, "olga", Role.MEMBER);
        var joiner = tenant.person(ClientApi.MCP, "jim", Role.MEMBER);
        agent(joiner, "Jay", "public");
        agent(joiner, "Joy", "public");
        domain(owner, "Crowd", "private");
        invite(owner, "Crowd", "Joy").ok();
        for (var i = 0; i < 10; i++) {
            invite(owner, "Crowd", "Jay").ok();
            of(owner, "DM_Kick", "Crowd", "Jay").ok();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var one = threads.submit(() -> invite(owner, "Crowd", "Jay").ok());
                var other = threads.submit(() -> invite(joiner, "Crowd", "Jay").ok());
                one.get();
                other.get();
            }
            assertThat(of(owner, "DM_Read", "Crowd", "Jay").ok().texts("/content", "state"))
                    .containsExactly("member");
            of(owner, "DM_Kick", "Crowd", "Jay").ok();
        }
    }
}
