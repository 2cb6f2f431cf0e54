package io.agentworkspace.engine.identity.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.WaitingCall;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserAdminToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller owner = tenant.owner();

    @Test
    void aUserIsCreatedAsAMemberAndListed() {
        var made = owner.call("US_Create", "{'vx':{'name':' Maria Ünal '}}").ok();
        assertThat(made.text("/user/name")).isEqualTo("Maria Ünal");
        assertThat(made.text("/user/role")).isEqualTo("member");
        assertThat(made.number("/revision")).isEqualTo(1);
        var listed = owner.call("US_List").ok();
        assertThat(listed.texts("/profile", "name")).containsExactly("Maria Ünal", "owner");
        assertThat(listed.texts("/content", "user")).containsExactly("Maria Ünal", "owner");
        assertThat(listed.number("/content/1/keys")).isEqualTo(1);
        owner.call("US_Create", "{'vx':{'name':'MARIA ünal'}}").refused(3002, "MARIA ünal");
    }

    @Test
    void theListHasPages() {
        for (var name : new String[] {"b", "c", "d"}) {
            owner.call("US_Create", "{'vx':{'name':'%s','access':'viewer'}}".formatted(name))
                    .ok();
        }
        var first = owner.call("US_List", "{'page':{'limit':3}}").ok();
        assertThat(first.texts("/profile", "name")).containsExactly("b", "c", "d");
        var next = owner.call("US_List", "{'page':{'limit':3,'cursor':'%s'}}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(next.texts("/profile", "name")).containsExactly("owner");
        assertThat(next.at("/next_cursor").isMissingNode()).isTrue();
    }

    @Test
    void whoActsIsTheCallerAndNotTheUserThatItIsAbout() {
        owner.call("US_Create", "{'vx':{'name':'bob'}}").ok();
        var updated = owner.call("US_Update", "{'target':{'user':'bob'},'vx':{'access':'viewer'}}")
                .ok();
        assertThat(updated.text("/header/context/user")).isEqualTo("owner");
        assertThat(updated.text("/user/name")).isEqualTo("bob");
        var removed = owner.call("US_Remove", "{'target':{'user':'bob'}}").ok();
        assertThat(removed.text("/header/context/user")).isEqualTo("owner");
        owner.call("US_Remove", "{'target':{'user':'ownr'}}").refused(3001, "no user 'ownr'", "did you mean 'owner'?");
        var renamed = owner.call("US_Update", "{'target':{'user':'owner'},'vx':{'name':'boss'}}")
                .ok();
        assertThat(renamed.text("/header/context/user")).isEqualTo("boss");
    }

    @Test
    void membersAndViewersAreToldWhoMay() {
        for (var role : List.of(Role.VIEWER, Role.MEMBER)) {
            var person = tenant.person(role.word(), role);
            for (var call : List.of(
                    "US_List {}",
                    "US_Create {'vx':{'name':'x'}}",
                    "US_Update {'target':{'user':'owner'}}",
                    "US_Remove {'target':{'user':'owner'}}")) {
                var parts = call.split(" ", 2);
                person.call(parts[0], parts[1]).refused(2003, "your role is '" + role.word(), "'admin'", parts[0]);
            }
        }
    }

    @Test
    void onlyOwnersDecideAboutOwners() {
        var admin = tenant.person("admin", Role.ADMIN);
        tenant.person("second", Role.OWNER);
        admin.call("US_Create", "{'vx':{'name':'x','access':'owner'}}").refused(2003, "only an owner");
        admin.call("US_Update", "{'target':{'user':'admin'},'vx':{'access':'owner'}}")
                .refused(2003, "only an owner");
        admin.call("US_Update", "{'target':{'user':'owner'},'vx':{'access':'member'}}")
                .refused(2003, "only an owner");
        admin.call("US_Update", "{'target':{'user':'owner'},'vx':{'name':'x'}}").refused(2003, "only an owner");
        admin.call("US_Remove", "{'target':{'user':'owner'}}").refused(2003, "only an owner");
        var changed = owner.call("US_Update", "{'target':{'user':'ADMIN'},'vx':{'name':'boss','access':'owner'}}")
                .ok();
        assertThat(changed.at("/changed").asBoolean()).isTrue();
        assertThat(changed.text("/user/name")).isEqualTo("boss");
        assertThat(changed.number("/revision")).isEqualTo(2);
    }

    @Test
    void theLastOwnerStays() {
        owner.call("US_Update", "{'target':{'user':'owner'},'vx':{'access':'admin'}}")
                .refused(3003, "last owner", "US_Update");
        owner.call("US_Remove", "{'target':{'user':'owner'}}").refused(3003, "cannot remove yourself");
        tenant.person("second", Role.OWNER);
        owner.call("US_Update", "{'target':{'user':'second'},'vx':{'access':'admin'}}")
                .ok();
        owner.call("US_Update", "{'target':{'user':'owner'},'vx':{'access':'member'}}")
                .refused(3003, "last owner");
    }

    /** Neither call sees the other's removal, so the second one must be refused. */
    @Test
    void twoOwnersAtOnceLeaveOne() {
        var one = tenant.person(ClientApi.REST, "one", Role.OWNER);
        WaitingCall.by(
                        () -> TestDatabase.db()
                                .sql("UPDATE app_user SET role = 'member' WHERE tenant_id = :tenant AND name = 'owner'")
                                .set("tenant", tenant.id(ClientApi.REST))
                                .run(),
                        () -> one.call("US_Update", "{'target':{'user':'one'},'vx':{'access':'member'}}"))
                .refused(3003, "last owner");
    }

    @Test
    void aStaleRevisionIsRefused() {
        tenant.member("maria");
        owner.call("US_Update", "{'target':{'user':'maria'},'vx':{'access':'viewer'},'if_revision':7}")
                .refused(3003, "revision");
        owner.call("US_Remove", "{'target':{'user':'maria'},'if_revision':7}").refused(3003, "revision");
        assertThat(owner.call("US_Update", "{'target':{'user':'maria'},'if_revision':1}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void aLowerRoleIsInForceSoonEverywhere() {
        var maria = tenant.member("maria");
        maria.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        owner.call("US_Update", "{'target':{'user':'maria'},'vx':{'access':'viewer'}}")
                .ok();
        await().untilAsserted(() -> maria.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}")
                .refused(2003, "your role is 'viewer'"));
        maria.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
    }

    @Test
    void anAdminNoMoreHearsNoMoreOfForeignZones() {
        var maria = tenant.person("maria", Role.ADMIN);
        owner.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        maria.call("ZN_Enter", "{'target':{'domain':'Den'}}").ok();
        maria.call("AP_Chat", "{'content':'hello'}").ok();
        owner.call("US_Update", "{'target':{'user':'maria'},'vx':{'access':'member'}}")
                .ok();
        await().untilAsserted(() ->
                maria.call("DM_Read", "{'target':{'domain':'Den'}}").refused(3001));
        assertThat(participants("maria")).isZero();
    }

    private long participants(String user) {
        return TestDatabase.db()
                .sql("""
                        SELECT count(*) FROM participant p JOIN app_user u ON u.tenant_id = p.tenant_id AND u.id = p.party_id
                         WHERE p.tenant_id = :tenant AND u.name_key = :name
                        """)
                .set("tenant", tenant.id(ClientApi.REST))
                .set("name", user)
                .one(row -> row.number(1))
                .orElseThrow();
    }

    @Test
    void whatARemovedUserOwnedIsSomebodyElses() {
        var maria = tenant.member("maria");
        var ben = tenant.member("ben");
        maria.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        maria.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        maria.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        maria.call("AP_Chat", "{'target':{'domain':'Den'},'content':'what was said stays'}")
                .ok();
        maria.call("MB_Create", "{'vx':{'name':'Box','description':'d'}}").ok();
        maria.call("MB_Store", "{'target':{'bank':'Box'},'content':'kept'}").ok();
        ben.call("AP_Read", "{'target':{'agent':'Ada'}}").refused(3001);
        owner.call("US_Remove", "{'target':{'user':'maria'},'vx':{'name':'nobody'}}")
                .refused(3001, "nobody");
        owner.call("US_Remove", "{'target':{'user':'maria'},'vx':{'name':'Maria'}}")
                .refused(1004, "another user");
        var removed = owner.call("US_Remove", "{'target':{'user':'maria'},'vx':{'name':'ben'}}")
                .ok();
        assertThat(removed.text("/heir")).isEqualTo("ben");
        assertThat(owner.call("AP_Read", "{'target':{'agent':'Ada'}}")
                        .ok()
                        .at("/profile/0/online")
                        .asBoolean())
                .isFalse();
        for (var field : List.of("agents", "domains", "banks", "keys")) {
            assertThat(removed.number("/" + field)).as(field).isEqualTo(1);
        }
        var ada = ben.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        assertThat(ada.text("/profile/0/owner")).isEqualTo("ben");
        assertThat(ben.call("AP_List").ok().texts("/profile", "name")).containsExactly("Ada");
        ben.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        assertThat(ben.call("ZN_Read", "{'target':{'domain':'Den'}}").ok().texts("/content", "content"))
                .contains("what was said stays");
        assertThat(ben.call("MB_Read", "{'target':{'bank':'Box'}}").ok().texts("/content", "text"))
                .containsExactly("kept");
        assertThat(owner.call("US_List").ok().texts("/profile", "name")).containsExactly("ben", "owner");
        owner.call("US_Create", "{'vx':{'name':'maria'}}").ok();
        assertThat(owner.call("US_List").ok().number("/content/1/agents")).isZero();
    }

    @Test
    void theKeysOfARemovedUserStopSoonEverywhere() {
        var key = tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        TestCaller maria = (service, arguments) ->
                ClientApi.REST.call(io.agentworkspace.engine.testing.TestServer.url(), key, service, arguments);
        maria.call("US_Read").ok();
        tenant.person(ClientApi.REST, "boss", Role.OWNER)
                .call("US_Remove", "{'target':{'user':'maria'}}")
                .ok();
        await().untilAsserted(() -> maria.call("US_Read").refused(2001));
    }

    /** While a user is removed, that user and an admin, who is also removed, keep creating things. */
    @Test
    void nothingIsLeftToARemovedUser() {
        for (var round = 0; round < 6; round++) {
            var names = List.of("user" + round, "admin" + round);
            var boss = tenant.person(ClientApi.REST, "boss" + round, Role.OWNER);
            var user = tenant.person(ClientApi.REST, names.get(0), Role.MEMBER);
            var admin = tenant.person(ClientApi.REST, names.get(1), Role.ADMIN);
            var thing = "{'vx':{'name':'%s %d','description':'d'}}";
            var number = round;
            user.call("AP_Create", thing.formatted("old", number)).ok();
            var forUser = "{'name':'x','capabilities':['*'],'target':{'user':'%s'}}".formatted(names.get(0));
            Concurrently.of(6, i -> switch (i) {
                case 0 -> admin.call("US_Remove", "{'target':{'user':'%s'}}".formatted(names.get(0)));
                case 1 -> boss.call("US_Remove", "{'target':{'user':'%s'}}".formatted(names.get(1)));
                case 2 -> user.call("AP_Create", thing.formatted("agent", number));
                case 3 -> boss.call("AK_Create", forUser);
                case 4 -> user.call("DM_Create", thing.formatted("domain", number));
                default -> user.call("MB_Create", thing.formatted("bank", number));
            });
        }
        for (var column : List.of("agent.owner_id", "domain.owner_id", "bank.owner_id", "api_key.user_id")) {
            var table = column.replaceFirst("\\..*", "");
            assertThat(TestDatabase.db()
                            .sql("""
                                    SELECT count(*) FROM %s t
                                      JOIN app_user u ON u.tenant_id = t.tenant_id AND u.id = t.%s
                                     WHERE t.tenant_id = :tenant AND u.removed_at IS NOT NULL %s
                                    """.formatted(
                                            table,
                                            column.replaceFirst(".*\\.", ""),
                                            table.equals("api_key") ? "AND t.revoked_at IS NULL" : ""))
                            .set("tenant", tenant.id(ClientApi.REST))
                            .one(row -> row.number(1))
                            .orElseThrow())
                    .as(table)
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"superuser", "Owner", "*", "1"})
    void anUnknownRoleIsRefusedWithTheRightOnes(String role) {
        owner.call("US_Create", "{'vx':{'name':'x','access':'%s'}}".formatted(role))
                .refused(1004, "vx.access");
    }

    @Test
    void theTargetIsNeverTakenFromTheContext() {
        owner.call("US_Update", "{'vx':{'access':'viewer'}}").refused(1003, "target");
        owner.call("US_Remove", "{}").refused(1003, "target");
        owner.call("US_Update", "{'target':{'user':'nobody'},'vx':{'access':'viewer'}}")
                .refused(3001, "nobody");
    }
}
