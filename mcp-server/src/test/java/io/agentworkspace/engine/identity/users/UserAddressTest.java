package io.agentworkspace.engine.identity.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.signin.SignInStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Users who are named by the e-mail address that their provider has verified. OAuthAddressTest shows how sign-in stores it.
 */
class UserAddressTest {
    private static final String ISSUER = "https://issuer.example";

    private final SignInStore store = new SignInStore(TestDatabase.db(), TestDatabase.audit());
    private final TestTenant tenant = new TestTenant();
    private final TestCaller owner = tenant.owner();

    private void joined(TestTenant where, String user, String email) {
        for (var api : ClientApi.values()) {
            var identity = new SignInStore.Identity(where.id(api), ISSUER, user);
            store.join(identity, Name.of(user), Instant.now(), UserAddressTest::entry);
            store.report(identity, new SignInStore.Reported(email, Instant.now()));
        }
    }

    private static AuditEntry entry(String user) {
        var subject = new AuditEntry.Subject("user", user, null);
        return AuditEntry.event(
                AuditEvent.USER_JOINED,
                Instant.now(),
                new AuditEntry.Actor(user, "oidc", null),
                subject,
                RequestSource.NOWHERE,
                "r");
    }

    /** Creates a key for a user who has signed in. */
    private TestCaller withKey(String user, Role role, String email) {
        var person = tenant.person(user, role);
        for (var api : ClientApi.values()) {
            signsIn(api, user, email);
        }
        return person;
    }

    private void signsIn(ClientApi api, String user, String email) {
        TestDatabase.db()
                .sql("""
                        INSERT INTO external_identity (tenant_id, issuer, subject, user_id, created_at, email)
                        SELECT tenant_id, :issuer, name_key, id, created_at, :email
                          FROM app_user WHERE tenant_id = :tenant AND name_key = :user
                        """)
                .set("issuer", ISSUER)
                .set("tenant", tenant.id(api))
                .set("user", user)
                .set("email", email)
                .run();
    }

    private static String target(String user) {
        return "{'target':{'user':'%s'}}".formatted(user);
    }

    @ParameterizedTest
    @ValueSource(strings = {"maria@example.org", " MARIA@Example.Org ", "maria", "@Maria"})
    void anAdminActsForWhoeverHasTheAddress(String maria) {
        joined(tenant, "maria", "maria@example.org");
        var read = owner.call("US_Read", target(maria)).ok();
        assertThat(read.text("/profile/0/user")).isEqualTo("maria");
        assertThat(read.text("/header/context/user")).isEqualTo("maria");
        owner.call("AP_Create", "{'target':{'user':'%s'},'vx':{'name':'Ada','description':'d'}}".formatted(maria))
                .ok();
        var ada = owner.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        assertThat(ada.text("/profile/0/owner")).isEqualTo("maria");
        var key = owner.call(
                        "AK_Create",
                        "{'target':{'user':'%s'},'name':'k','capabilities':['agent:read']}".formatted(maria))
                .ok();
        assertThat(key.text("/key/user")).isEqualTo("maria");
    }

    @Test
    void usersAreChangedRemovedAndInheritByAddress() {
        joined(tenant, "maria", "maria@example.org");
        joined(tenant, "heir", "heir@example.org");
        var updated = owner.call(
                        "US_Update", "{'target':{'user':'Maria@example.org'},'vx':{'name':'Mia','access':'viewer'}}")
                .ok();
        assertThat(updated.text("/user/name")).isEqualTo("Mia");
        var removed = owner.call(
                        "US_Remove", "{'target':{'user':'maria@example.org'},'vx':{'name':'HEIR@example.org'}}")
                .ok();
        assertThat(removed.text("/heir")).isEqualTo("heir");
        owner.call("US_Remove", target("maria@example.org")).refused(3001, "US_List");
        owner.call("US_Read", target("maria@example.org")).refused(3001, "'maria@example.org'", "US_List");
        assertThat(stored("maria")).isEmpty();
        var late = new SignInStore.Reported("maria@example.org", Instant.now());
        for (var api : ClientApi.values()) {
            store.report(new SignInStore.Identity(tenant.id(api), ISSUER, "maria"), late);
        }
        assertThat(stored("maria")).as("a sign-in that began before").isEmpty();
    }

    private List<String> stored(String subject) {
        return TestDatabase.db()
                .sql("SELECT email FROM external_identity WHERE tenant_id = ANY(:ids) AND subject = :subject")
                .set("ids", List.of(tenant.id(ClientApi.MCP), tenant.id(ClientApi.REST)))
                .set("subject", subject)
                .list(row -> row.textOrNull("email"))
                .stream()
                .filter(Objects::nonNull)
                .toList();
    }

    @Test
    void anAddressOfTwoFindsNeitherAndOneOfAnotherTenantNobody() {
        joined(tenant, "one", "shared@example.org");
        joined(tenant, "two", "shared@example.org");
        joined(new TestTenant(), "theirs", "theirs@example.org");
        for (var address : List.of("shared@example.org", "theirs@example.org", "nobody@example.org")) {
            var note = "'%s' is not the verified e-mail address of exactly one user".formatted(address);
            owner.call("US_Read", target(address)).refused(3001, note);
            owner.call("AP_Create", "{'target':{'user':'%s'},'vx':{'name':'A','description':'d'}}".formatted(address))
                    .refused(3001, note);
            owner.call("US_Update", target(address)).refused(3001, note);
            owner.call("US_Remove", target(address)).refused(3001, note);
        }
        owner.call("US_Remove", target("one")).ok();
        assertThat(owner.call("US_Read", target("shared@example.org")).ok().text("/profile/0/user"))
                .isEqualTo("two");
    }

    @Test
    void membersAreTheOnlyOnesWhomTheyFind() {
        var ann = withKey("ann", Role.MEMBER, "ann@example.org");
        joined(tenant, "maria", "maria@example.org");
        assertThat(ann.call("US_Read", target("ANN@example.org")).ok().text("/profile/0/user"))
                .isEqualTo("ann");
        ann.call("AP_Create", "{'target':{'user':'ann@example.org'},'vx':{'name':'Own','description':'d'}}")
                .ok();
        for (var tool : List.of("US_Read", "AP_List", "AK_List")) {
            var refusal = ann.call(tool, target("maria@example.org")).refused(2003, "your own user name, 'ann'");
            var unknown = ann.call(tool, target("nobody@example.org")).refused(2003);
            assertThat(unknown.note())
                    .as("the owner of the address is not disclosed")
                    .isEqualTo(refusal.note());
            assertThat(refusal.at("/header/context").isMissingNode()).isTrue();
        }
        ann.call("AP_Create", "{'target':{'user':'maria@example.org'},'vx':{'name':'X','description':'d'}}")
                .refused(2003);
        owner.call("AP_Read", "{'target':{'agent':'X'}}").refused(3001);
    }

    @ParameterizedTest
    @EnumSource
    void theAuditAndItsFilterNameUsers(ClientApi api) {
        var boss = tenant.person(api, "boss", Role.ADMIN);
        var ann = tenant.person(api, "ann", Role.MEMBER);
        joined(tenant, "maria", "maria@example.org");
        var create = "{'target':{'user':'maria@example.org'},'vx':{'name':'Ada','description':'d'}}";
        ann.call("AP_Create", create).refused(2003);
        boss.call("AP_Create", create).ok();
        assertThat(boss.call("AC_Audit", "{'user':'MARIA@example.org'}").ok().texts("/entries", "tool"))
                .containsExactly("user.joined");
        boss.call("US_Update", "{'target':{'user':'maria@example.org'},'vx':{'name':'Mia'}}")
                .ok();
        boss.call("US_Remove", target("maria@example.org")).ok();
        var audit = boss.call("AC_Audit", "{'result':'done'}").ok();
        assertThat(audit.texts("/entries", "tool"))
                .containsExactly("US_Remove", "US_Update", "AP_Create", "user.joined");
        assertThat(audit.texts("/entries", "target")).containsExactly("Mia", "maria", "Ada", "maria");
        assertThat(audit.text("/entries/1/renamed_to")).isEqualTo("Mia");
        assertThat(audit.text("/entries/2/acting_for")).isEqualTo("maria");
        await().untilAsserted(() -> assertThat(
                        boss.call("AC_Audit", "{'result':'refused'}").ok().text("/entries/0/acting_for"))
                .isEqualTo("an e-mail address"));
        assertThat(boss.call("AC_Audit").ok().envelope().toString()).doesNotContain("@example.org");
        assertThat(boss.call("AC_Audit", "{'user':'nobody@example.org'}").ok().texts("/entries", "tool"))
                .isEmpty();
    }

    @Test
    void noAnswerShowsAnAddress() {
        joined(tenant, "maria", "secret@example.org");
        for (var call :
                List.of("US_List {}", "US_Read " + target("secret@example.org"), "US_Update " + target("maria"))) {
            var parts = call.split(" ", 2);
            assertThat(owner.call(parts[0], parts[1]).ok().envelope().toString())
                    .doesNotContain("secret");
        }
        assertThat(owner.call("US_Remove", target("secre@example.org")).note())
                .doesNotContain("secret")
                .doesNotContain("maria");
        assertThat(owner.call("US_Remove", target("mari")).note())
                .contains("'maria'")
                .doesNotContain("secret");
    }

    @Test
    void whyAnswersForAnAddressToo() {
        joined(tenant, "maria", "maria@example.org");
        var boss = tenant.key(ClientApi.REST, "boss", Role.ADMIN, List.of("*"));
        var ann = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        var path = "/api/auth/why?tool=AP_List&target=user:maria%40example.org";
        assertThat(why(boss, path)).contains("\"may\":true", "\"name\":\"maria\"");
        assertThat(why(ann, path))
                .contains("\"may\":false", "only an admin acts for others")
                .doesNotContain("\"maria\"");
        signsIn(ClientApi.REST, "ann", "ann@example.org");
        for (var tool : List.of("AP_List", "AK_Create")) {
            assertThat(why(ann, path.replace("AP_List", tool).replace("maria", "Ann")))
                    .contains("\"may\":true", "\"name\":\"ann\"");
        }
    }

    private static String why(String key, String path) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path))
                .header("X-Api-Key", key)
                .build();
        return new String(ClientApi.send(request).body(), StandardCharsets.UTF_8);
    }
}
