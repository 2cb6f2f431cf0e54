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

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ann owns the public domain Library with its host Ada and the zones main and Desk; Bob owns the agent Ben, a member. */
class ZoneToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    ZoneToolsTest() {
        agents(ann, "Ada");
        agents(bob, "Ben");
        hosted(ann, "Library", "public", "Ada");
        zone(ann, "Library", "Desk");
        invite(bob, "Library", "Ben").ok();
    }

    private static Reply read(TestCaller person, String context, String rest) {
        return person.call("ZN_Read", "{'target':{'context':'%s'%s}}".formatted(context, rest));
    }

    private static String create(String name, String rest) {
        return "{'target':{'domain':'Library'},'vx':{'name':'%s'%s}}".formatted(name, rest);
    }

    @Test
    void aNewZoneIsHeardByAllMembers() {
        var made = ann.call("ZN_Create", create(" Attic ", ",'description':'Old things.'"))
                .ok();
        assertThat(made.text("/zone/name")).isEqualTo("Attic");
        assertThat(made.text("/zone/description")).isEqualTo("Old things.");
        assertThat(made.text("/zone/created_at")).isNotEmpty();
        say(ann, "default", "Library", "attic", "hello").ok();
        assertThat(unread(ann, "Ada")).isEqualTo(1);
        assertThat(unread(bob, "Ben")).isEqualTo(1);
        assertThat(readDomain(bob, "Library").ok().texts("/zones", "name")).containsExactly("main", "Attic", "Desk");
    }

    @Test
    void aDestroyedZoneTakesItsMessagesWithIt() {
        say(ann, "default", "Library", "Desk", "gone").ok();
        say(ann, "default", "Library", "main", "left").ok();
        assertThat(messages()).isEqualTo(2);
        ann.call("ZN_Destroy", "{'target':{'domain':'Library','zone':'Desk','context':'Ada'}}")
                .ok();
        assertThat(messages()).isEqualTo(1);
    }

    private long messages() {
        return TestDatabase.db()
                .sql("SELECT count(*) FROM message WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number(1))
                .orElseThrow();
    }

    @Test
    void zoneNamesAreUniqueInTheirDomainOnly() {
        ann.call("ZN_Create", create("DESK", ""))
                .refused(3002, "the zone name 'DESK' is taken: choose another name, or enter that zone with ZN_Enter");
        ann.call("ZN_Create", create("Main", "")).refused(3002);
        domain(ann, "Archive", "private");
        zone(ann, "Archive", "Desk");
    }

    @Test
    void zoneNamesKeepTheRulesAtTheirEdges() {
        ann.call("ZN_Create", "{'target':{'domain':'Library'}}").refused(1003, "vx.name is required");
        ann.call("ZN_Create", create(" ", "")).refused(1003, "vx.name is required");
        ann.call("ZN_Create", create("a/b", "")).refused(1004, "vx.name");
        ann.call("ZN_Create", create("z".repeat(65), "")).refused(1004, "vx.name");
        ann.call("ZN_Create", create("z".repeat(64), "")).ok();
        ann.call("ZN_Create", create("a", ",'description':'%s'".formatted("d".repeat(2_001))))
                .refused(1005, "vx.description");
    }

    @Test
    void zonesAreMadeAndEndedForTheDomainsSide() {
        var destroy = "{'target':{'domain':'Library','zone':'Desk','context':'Ben'}}";
        bob.call("ZN_Create", create("Attic", "")).refused(2003, "in 'Library' only the domain's owner 'ann'", "host");
        bob.call("ZN_Destroy", destroy).refused(2003, "host");
        tenant.owner().call("ZN_Create", create("Attic", "")).ok();
        hosted(tenant.person("eve", Role.ADMIN), "Hall", "private", "Ben");
        bob.call("ZN_Create", "{'target':{'domain':'Hall'},'vx':{'name':'Attic'}}")
                .refused(2003, "host");
        bob.call("ZN_Create", "{'target':{'domain':'Hall','context':'Ben'},'vx':{'name':'Attic'}}")
                .ok();
        bob.call("ZN_Destroy", "{'target':{'domain':'Hall','zone':'Attic','context':'Ben'}}")
                .ok();
        assertThat(readDomain(ann, "Library").ok().texts("/zones", "name")).containsExactly("main", "Attic", "Desk");
    }

    @Test
    void destroyingAZoneTakesItsMessagesAlong() {
        enter(bob, "Ben", "Library", "Desk").ok();
        enter(ann, "Ada", "Library", "Desk").ok();
        say(ann, "default", "Library", "Desk", "hello").ok();
        say(ann, "default", "Library", "main", "stays").ok();
        var gone = ann.call("ZN_Destroy", "{'target':{'domain':'library','zone':'desk','context':'Ada'}}")
                .ok();
        assertThat(gone.at("/changed").asBoolean()).isTrue();
        assertThat(gone.text("/header/context/domain")).isEqualTo("Library");
        assertThat(gone.at("/header/context/zone").isMissingNode()).isTrue();
        assertThat(gone.number("/header/unread")).isEqualTo(1);
        assertThat(unread(bob, "Ben")).isEqualTo(1);
        read(bob, "Ben", "").refused(1006, "ZN_Enter");
        read(bob, "Ben", ",'zone':'Desk'").refused(3001, "no zone 'Desk'");
        assertThat(readDomain(ann, "Library").ok().texts("/messages", "content"))
                .containsExactly("stays");
        zone(ann, "Library", "Desk");
        assertThat(read(bob, "Ben", ",'zone':'Desk'").ok().at("/content").size())
                .isZero();
    }

    @Test
    void mainStaysAsLongAsItsDomain() {
        ann.call("ZN_Destroy", "{'target':{'domain':'Library','zone':'MAIN'}}").refused(3003, "'main'", "DM_Destroy");
        ann.call("ZN_Destroy", "{'target':{'domain':'Library','zone':'Dusk'}}").refused(3001, "did you mean 'Desk'?");
    }

    @Test
    void theZoneToDestroyIsNeverTakenFromTheContext() {
        enter(ann, "default", "Library", "Desk").ok();
        ann.call("ZN_Destroy", "{'target':{'domain':'Library'}}").refused(1003, "target.zone is required");
        ann.call("ZN_Destroy", "{'target':{'zone':'Desk'}}").refused(1003, "target.domain is required");
    }

    @Test
    void enteringSetsTheContextOnce() {
        var entered = enter(bob, "Ben", "library", "desk").ok();
        assertThat(entered.text("/zone/name")).isEqualTo("Desk");
        assertThat(entered.at("/changed").asBoolean()).isTrue();
        assertThat(entered.text("/header/context/domain")).isEqualTo("Library");
        assertThat(entered.text("/header/context/zone")).isEqualTo("Desk");
        assertThat(enter(bob, "Ben", "Library", "Desk").ok().at("/changed").asBoolean())
                .isFalse();
        assertThat(bob.call("AP_Chat", "{'target':{'context':'Ben'},'content':'here'}")
                        .ok()
                        .text("/content/0/zone"))
                .isEqualTo("Desk");
        assertThat(bob.call("US_Read").ok().at("/header/context/zone").isMissingNode())
                .isTrue();
    }

    @Test
    void leftOutTheZoneIsMainAndTheDomainTheEnteredOne() {
        bob.call("ZN_Enter").refused(1006, "target.domain");
        bob.call("ZN_Enter", "{'target':{'zone':'Desk'}}").refused(1006, "target.domain");
        assertThat(bob.call("ZN_Enter", "{'target':{'domain':'Library'}}").ok().text("/zone/name"))
                .isEqualTo("main");
        assertThat(bob.call("ZN_Enter", "{'target':{'zone':'Desk'}}").ok().text("/zone/name"))
                .isEqualTo("Desk");
        assertThat(bob.call("ZN_Enter").ok().text("/zone/name")).isEqualTo("main");
        bob.call("ZN_Enter", "{'target':{'zone':'Dusk'}}").refused(3001, "did you mean 'Desk'?");
        assertThat(bob.call("US_Read").ok().text("/header/context/zone")).isEqualTo("main");
    }

    @Test
    void whoEntersTakesPart() {
        var cat = tenant.member("cat");
        enter(cat, "default", "Library", "main").refused(3003, "member of the domain 'Library'", "DM_Invite");
        read(cat, "default", ",'domain':'Library'").refused(3003, "member of the domain 'Library'", "DM_Invite");
        agents(bob, "Bea");
        enter(bob, "Bea", "Library", "main").refused(3003, "the agent 'Bea' is not a member");
        enter(bob, "default", "Library", "main").ok();
        enter(ann, "default", "Library", "main").ok();
        enter(tenant.person("eve", Role.ADMIN), "default", "Library", "main").ok();
        agent(cat, "Cleo", "public");
        domain(ann, "Archive", "private");
        invite(ann, "Archive", "Cleo").ok();
        enter(cat, "default", "Archive", "main").refused(3003);
        enter(cat, "Cleo", "Archive", "main").refused(3003, "'Cleo'");
        enter(bob, "Ben", "Archive", "main").refused(3001);
    }

    @Test
    void aUserHearsTheZonesThatItEntered() {
        say(ann, "default", "Library", "Desk", "before").ok();
        enter(bob, "default", "Library", "Desk").ok();
        say(ann, "default", "Library", "Desk", "after").ok();
        say(ann, "default", "Library", "main", "elsewhere").ok();
        var listed = bob.call("ZN_List").ok();
        assertThat(listed.texts("/content", "zone")).containsExactly("Desk", "main");
        assertThat(listed.texts("/content", "unread")).containsExactly("1", "0");
        var said = bob.call("AP_Chat", "{'content':'thanks'}").ok();
        assertThat(said.texts("/content", "content")).containsExactly("thanks");
        assertThat(bob.call("ZN_List").ok().texts("/content", "unread")).containsExactly("1", "0");
    }

    @Test
    void enteringAgainKeepsWhatWaits() {
        enter(bob, "default", "Library", "Desk").ok();
        say(ann, "default", "Library", "Desk", "one").ok();
        enter(bob, "default", "Library", "main").ok();
        enter(bob, "default", "Library", "Desk").ok();
        assertThat(bob.call("ZN_List").ok().number("/content/0/unread")).isEqualTo(1);
    }

    @Test
    void leavingClearsTheContextAndNothingElse() {
        enter(bob, "Ben", "Library", "Desk").ok();
        var left = bob.call("ZN_Leave", "{'target':{'context':'Ben'}}").ok();
        assertThat(left.at("/changed").asBoolean()).isTrue();
        assertThat(left.at("/header/context/domain").isMissingNode()).isTrue();
        assertThat(left.at("/header/context/zone").isMissingNode()).isTrue();
        assertThat(left.text("/header/context/self")).isEqualTo("Ben");
        assertThat(bob.call("ZN_Leave", "{'target':{'context':'Ben'}}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        read(bob, "Ben", "").refused(1006, "ZN_Enter");
        say(ann, "default", "Library", "Desk", "still a member").ok();
        assertThat(unread(bob, "Ben")).isEqualTo(1);
    }

    @Test
    void readingAsAMemberMarksThatZoneRead() {
        say(ann, "default", "Library", "Desk", "one").ok();
        say(ann, "default", "Library", "main", "two").ok();
        assertThat(unread(bob, "Ben")).isEqualTo(2);
        var asUser = read(bob, "default", ",'domain':'Library','zone':'Desk'").ok();
        assertThat(asUser.texts("/content", "content")).containsExactly("one");
        assertThat(unread(bob, "Ben")).isEqualTo(2);
        var asBen = read(bob, "Ben", ",'domain':'Library','zone':'Desk'").ok();
        assertThat(asBen.text("/profile/0/name")).isEqualTo("Desk");
        assertThat(asBen.texts("/content", "from")).containsExactly("ann");
        assertThat(asBen.number("/header/unread")).isEqualTo(1);
        assertThat(unread(bob, "Ben")).isEqualTo(1);
        var listed = bob.call("ZN_List", "{'target':{'domain':'Library','context':'Ben'}}")
                .ok();
        assertThat(listed.texts("/content", "unread")).containsExactly("0", "1");
        assertThat(unread(ann, "Ada")).isEqualTo(2);
    }

    @Test
    void onesOwnMessagesDoNotWait() {
        say(bob, "Ben", "Library", "main", "mine").ok();
        assertThat(unread(bob, "Ben")).isZero();
        say(ann, "default", "Library", "main", "yours").ok();
        say(bob, "Ben", "Library", "main", "mine again").ok();
        read(bob, "Ben", ",'domain':'Library'").ok();
        assertThat(unread(bob, "Ben")).isZero();
        say(ann, "default", "Library", "main", "yours").ok();
        assertThat(unread(bob, "Ben")).isEqualTo(1);
    }

    @Test
    void whatIsReadIsWhatIsNamedElseWhatIsEntered() {
        say(ann, "default", "Library", "Desk", "in desk").ok();
        say(ann, "default", "Library", "main", "in main").ok();
        read(bob, "Ben", "").refused(1006, "ZN_Enter");
        read(bob, "Ben", ",'zone':'Desk'").refused(1006, "ZN_Enter");
        enter(bob, "Ben", "Library", "Desk").ok();
        assertThat(read(bob, "Ben", "").ok().texts("/content", "content")).containsExactly("in desk");
        assertThat(read(bob, "Ben", ",'zone':'Main'").ok().texts("/content", "content"))
                .containsExactly("in main");
        assertThat(read(bob, "Ben", ",'domain':'Library'").ok().texts("/content", "content"))
                .containsExactly("in main");
        read(bob, "Ben", ",'zone':'Dusk'").refused(3001, "did you mean 'Desk'?");
    }

    @Test
    void olderMessagesComePageByPage() {
        for (var i = 1; i <= 55; i++) {
            say(ann, "default", "Library", "Desk", "m%02d".formatted(i)).ok();
        }
        var latest = read(bob, "Ben", ",'domain':'Library','zone':'Desk'").ok();
        assertThat(latest.texts("/content", "content"))
                .hasSize(50)
                .startsWith("m06")
                .endsWith("m55")
                .isSorted();
        var older = page(latest.text("/next_cursor"), 3);
        assertThat(older.texts("/content", "content")).containsExactly("m03", "m04", "m05");
        var oldest = page(older.text("/next_cursor"), 3);
        assertThat(oldest.texts("/content", "content")).containsExactly("m01", "m02");
        assertThat(oldest.at("/next_cursor").isMissingNode()).isTrue();
        assertThat(unread(bob, "Ben")).as("what comes before is not skipped").isEqualTo(53);
        page(latest.text("/next_cursor"), 3);
        assertThat(unread(bob, "Ben")).isEqualTo(50);
        read(bob, "Ben", ",'domain':'Library','zone':'Desk'").ok();
        assertThat(unread(bob, "Ben")).isZero();
        say(ann, "default", "Library", "Desk", "m56").ok();
        page(latest.text("/next_cursor"), 3);
        assertThat(unread(bob, "Ben")).isEqualTo(1);
        for (var forged : List.of("bm90IGEgbnVtYmVy", Cursor.of("1"), Cursor.of("1", "2"))) {
            bob.call("ZN_Read", "{'target':{'domain':'Library'},'page':{'cursor':'%s'}}".formatted(forged))
                    .refused(1004, "page.cursor");
        }
    }

    @Test
    void aCursorContinuesTheOneZoneThatItWasIssuedFor() {
        zone(ann, "Library", "Lobby");
        for (var zone : List.of("Desk", "Lobby")) {
            for (var said : List.of("one", "two", "three")) {
                say(ann, "default", "Library", zone, said).ok();
            }
        }
        var place = "'domain':'Library','zone':'%s','context':'Ben'";
        var read = "{'target':{%s},'page':{'limit':1,'cursor':'%s'}}";
        var cursor = bob.call("ZN_Read", read.formatted(place.formatted("Desk"), ""))
                .ok()
                .text("/next_cursor");
        bob.call("ZN_Read", read.formatted(place.formatted("Lobby"), cursor)).refused(1004, "same fields");
        bob.call("AP_Read", "{'page':{'cursor':'%s'}}".formatted(cursor)).refused(1004, "same fields");
        enter(bob, "Ben", "Library", "Desk").ok();
        var entered =
                bob.call("ZN_Read", read.formatted("'context':'Ben'", "")).ok().text("/next_cursor");
        assertThat(bob.call("ZN_Read", read.formatted("'context':'Ben'", entered))
                        .ok()
                        .texts("/content", "content"))
                .containsExactly("two");
        enter(bob, "Ben", "Library", "Lobby").ok();
        bob.call("ZN_Read", read.formatted("'context':'Ben'", entered)).refused(1004, "same fields");
        ann.call("ZN_Destroy", "{'target':{'domain':'Library','zone':'Desk'}}").ok();
        zone(ann, "Library", "Desk");
        say(ann, "default", "Library", "Desk", "new").ok();
        bob.call("ZN_Read", read.formatted(place.formatted("Desk"), cursor)).refused(1004, "same fields");
    }

    private Reply page(String cursor, int limit) {
        return bob.call(
                        "ZN_Read",
                        "{'target':{'domain':'Library','zone':'Desk','context':'Ben'},'page':{'limit':%d,'cursor':'%s'}}"
                                .formatted(limit, cursor))
                .ok();
    }

    @Test
    void theListTellsWhereSomethingWasSaid() {
        var said = say(ann, "default", "Library", "Desk", "hello").ok();
        var listed = bob.call("ZN_List", "{'target':{'domain':'Library','context':'Ben'}}")
                .ok();
        assertThat(listed.texts("/profile", "name")).containsExactly("Desk", "main");
        assertThat(listed.texts("/content", "unread")).containsExactly("1", "0");
        assertThat(listed.text("/content/0/last_message_at")).isEqualTo(said.text("/content/0/created_at"));
        assertThat(listed.at("/content/1/last_message_at").isMissingNode()).isTrue();
        var stranger = tenant.member("cat")
                .call("ZN_List", "{'target':{'domain':'Library'}}")
                .ok();
        assertThat(stranger.texts("/content", "zone")).containsExactly("Desk", "main");
        assertThat(stranger.at("/content/0/last_message_at").isMissingNode()).isTrue();
    }

    @Test
    void manyZonesComeInPages() {
        for (var i = 0; i < 50; i++) {
            zone(ann, "Library", "z%02d".formatted(i));
        }
        var first = bob.call("ZN_List", "{'target':{'domain':'Library'}}").ok();
        assertThat(first.texts("/profile", "name"))
                .hasSize(50)
                .startsWith("Desk", "main", "z00")
                .endsWith("z47");
        var second = bob.call(
                        "ZN_List",
                        "{'target':{'domain':'Library'},'page':{'cursor':'%s'}}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(second.texts("/profile", "name")).containsExactly("z48", "z49");
        assertThat(second.texts("/content", "zone")).containsExactly("z48", "z49");
        assertThat(second.at("/next_cursor").isMissingNode()).isTrue();
        var named = bob.call("ZN_List", "{'target':{'domain':'Library','zone':'Z4'},'page':{'limit':3}}")
                .ok();
        assertThat(named.texts("/profile", "name")).containsExactly("z40", "z41", "z42");
        assertThat(bob.call("ZN_List", "{'target':{'domain':'Library','zone':'mai'}}")
                        .ok()
                        .texts("/profile", "name"))
                .containsExactly("main");
    }

    @Test
    void aViewerEntersAndReadsWhereAnAdminMadeItsAgentAMember() {
        var vic = tenant.person("vic", Role.VIEWER);
        enter(vic, "default", "Library", "main").refused(3003);
        vic.call("ZN_Create", create("x", "")).refused(2003, "'viewer'");
        tenant.owner()
                .call("AP_Create", "{'target':{'user':'vic'},'vx':{'name':'Vera','description':'d'}}")
                .ok();
        invite(tenant.person("eve", Role.ADMIN), "Library", "Vera").ok();
        enter(vic, "default", "Library", "main").ok();
        read(vic, "default", "").ok();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ZN_Enter", "ZN_Leave"})
    void movingAboutChangesNothingForOthers(String service) {
        var before = readDomain(ann, "Library").ok();
        bob.call(service, service.equals("ZN_Enter") ? "{'target':{'domain':'Library'}}" : "{}")
                .ok();
        assertThat(readDomain(ann, "Library").ok().at("/content")).isEqualTo(before.at("/content"));
    }

    @Test
    void anotherTenantsZonesAreNotMixedUp() {
        say(ann, "default", "Library", "Desk", "secret").ok();
        var stranger = new TestTenant().owner();
        read(stranger, "default", ",'domain':'Library','zone':'Desk'").refused(3001, "no domain 'Library'");
        agents(stranger, "Ada");
        hosted(stranger, "Library", "public", "Ada");
        read(stranger, "default", ",'domain':'Library','zone':'Desk'").refused(3001, "no zone 'Desk'");
        zone(stranger, "Library", "Desk");
        assertThat(read(stranger, "default", ",'domain':'Library','zone':'Desk'")
                        .ok()
                        .at("/content")
                        .size())
                .isZero();
        stranger.call("ZN_Destroy", "{'target':{'domain':'Library','zone':'Desk'}}")
                .ok();
        of(stranger, "DM_Destroy", "Library", "Ada").ok();
        assertThat(read(ann, "default", ",'domain':'Library','zone':'Desk'")
                        .ok()
                        .texts("/content", "content"))
                .containsExactly("secret");
    }

    @Test
    void endingAZoneWhileOthersTalkThereIsNeverADefect() throws Exception {
        var owner = tenant.person(ClientApi.MCP, "olga", Role.OWNER);
        domain(owner, "Crowd", "private");
        agents(owner, "Oak", "Elm");
        invite(owner, "Crowd", "Oak").ok();
        for (var round = 0; round < 10; round++) {
            zone(owner, "Crowd", "Brief");
            Callable<Reply> talk = () -> say(owner, "Oak", "Crowd", "Brief", "hello");
            Callable<Reply> look = () -> read(owner, "Oak", ",'domain':'Crowd','zone':'Brief'");
            Callable<Reply> join = () -> invite(owner, "Crowd", "Elm");
            Callable<Reply> leave = () -> of(owner, "DM_Kick", "Crowd", "Elm");
            Callable<Reply> end = () -> owner.call("ZN_Destroy", "{'target':{'domain':'Crowd','zone':'Brief'}}")
                    .ok();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (var reply : threads.invokeAll(List.of(talk, look, join, talk, leave, end, talk, look, talk))) {
                    assertThat(reply.get().code()).as(reply.get()::note).isIn(0, 3001, 3003);
                }
            }
        }
        assertThat(readDomain(owner, "Crowd").ok().texts("/zones", "name")).containsExactly("main");
    }

    @Test
    void aUserMayAnswerWhatItHasReadWithoutHavingEntered() {
        say(ann, "default", "Library", "Desk", "Who is there?").ok();
        var read = bob.call("ZN_Read", "{'target':{'domain':'Library','zone':'Desk'}}")
                .ok();
        var answer = "{'content':'Bob','reply_to':'%s'}".formatted(read.text("/content/0/id"));
        assertThat(bob.call("AP_Chat", answer).ok().text("/content/0/zone")).isEqualTo("Desk");
        tenant.member("eve").call("AP_Chat", answer).refused(3001);
    }
}
