package io.agentworkspace.engine.identity.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools that show and change keys, through both endpoints. */
class KeyToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller maria = tenant.member("maria");

    private static Reply create(TestCaller person, String fields) {
        return person.call("AK_Create", "{'name':'report'," + fields + "}");
    }

    private static String made(TestCaller person, String fields) {
        return create(person, fields).ok().text("/key/id");
    }

    @Test
    void aNewKeyIsShownOnceWithItsRecord() {
        maria.call("AP_Create", "{'vx':{'name':'Scout','description':'d'}}").ok();
        var reply = create(maria, """
                'capabilities':['bank:read','agent:read','agent:read'],'environment':'production','agent':'scout',
                'toolset':['bank','agent'],'confirm_destructive':true,'expires_at':'2099-01-01T12:00:00+02:00'""").ok();
        assertThat(reply.text("/api_key")).matches("ek_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}");
        assertThat(reply.text("/api_key")).startsWith("ek_" + reply.text("/key/id"));
        var key = reply.at("/key");
        assertThat(key.toString().replace('"', '\'')).contains("""
                'name':'report','user':'maria','environment':'production','state':'active','capabilities':['agent:read','bank:read'],\
                'toolset':['agent','bank'],'confirm_destructive':true,'agent':'Scout','children':0,\
                'expires_at':'2099-01-01T10:00:00.000Z'""");
        var listed = maria.call("AK_List").ok();
        assertThat(listed.texts("/keys", "name")).containsExactly("report", "test");
        assertThat(listed.envelope().toString()).doesNotContain(reply.text("/api_key"), "api_key");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'capabilities':['agents:read']                                     | 1004 | did you mean agent:read
            'capabilities':['Agent:read']                                      | 1004 | webhook:read
            'capabilities':['*:read']                                          | 1004 | * for all
            'capabilities':[]                                                  | 1003 | capabilities is required
            'environment':'x'                                                  | 1003 | capabilities is required
            'capabilities':['*'],'toolset':['banks']                           | 1004 | did you mean bank
            'capabilities':['*'],'toolset':[]                                  | 1004 | all
            'capabilities':['*'],'agent':'Nobody'                              | 3001 | Nobody
            'capabilities':['*'],'expires_at':'2020-01-01T00:00:00Z'           | 1004 | must be in the future
            'capabilities':['*'],'expires_at':'tomorrow'                       | 1004 | 2026-05-25T12:00:00Z
            'capabilities':['*'],'expires_at':'2026-01-01T00:00:00'            | 1004 | with its zone
            'capabilities':['*'],'expires_at':'+999999999-01-01T00:00:00Z'     | 1004 | ISO 8601
            'capabilities':['*'],'expires_at':'2099-01-01T00:00:00Z','expires_in_seconds':5 | 1004 | one of them
            'capabilities':['*'],'expires_in_seconds':0                        | 1004 | between 1
            'capabilities':['*'],'parent':'000000000000'                       | 1004 | the key that you call with
            """)
    void whatAKeyCannotBeGivenIsNamed(String fields, int code, String noted) {
        assertThat(create(maria, fields).refused(code).note()).contains(noted);
    }

    @Test
    void theFieldsNameAllWordsThatThereAre() {
        var catalogue = TestDatabase.catalogue();
        for (var service : List.of("AK_Create", "AK_Update")) {
            var fields = catalogue.read(service).inputSchema().json().path("properties");
            for (var word : KeyLimitTexts.all()) {
                assertThat(fields.at("/capabilities/description").asString()).contains(word.replaceFirst(":.*", ""));
            }
            for (var tool : catalogue.tools()) {
                assertThat(fields.at("/toolset/description").asString())
                        .containsPattern("\\b" + tool.family().word() + "\\b");
            }
        }
    }

    @Test
    void hostileTextsComeBackAsTheyWere() {
        for (var text :
                new String[] {"; DROP TABLE api_key; --", "%s {} ${jndi:x}", "<script>", "\\u202e é 😀", ":id ?1"}) {
            var reply = maria.call(
                    "AK_Create", "{'name':'%1$s','environment':'%1$s','capabilities':['agent:read']}".formatted(text));
            var kept = text.replace("\\u202e", "\u202e");
            assertThat(reply.ok().text("/key/name")).isEqualTo(kept);
            assertThat(reply.text("/key/environment")).isEqualTo(kept);
        }
        for (var id : new String[] {"; OR 1=1", "%", "x".repeat(64), "../keys", "ek_x"}) {
            maria.call("AK_Revoke", "{'id':'%s'}".formatted(id)).refused(3001, "no key");
        }
        maria.call("AK_Revoke", "{'id':'a\\u0000'}").refused(1004, "NUL");
        maria.call("AK_Revoke", "{'id':'%s'}".formatted("x".repeat(65))).refused(1005);
    }

    @Test
    void justWhatIsGivenChanges() {
        var id = made(maria, "'capabilities':['*'],'environment':'staging'");
        var changed = maria.call("AK_Update", """
                {'id':'%s','name':'nightly','capabilities':['agent:read'],'toolset':['agent'],'expires_in_seconds':3600,
                 'if_revision':1}""".formatted(id)).ok();
        assertThat(changed.at("/changed").asBoolean()).isTrue();
        assertThat(changed.number("/revision")).isEqualTo(2);
        assertThat(changed.text("/key/environment")).isEqualTo("staging");
        assertThat(changed.text("/key/name")).isEqualTo("nightly");
        assertThat(changed.text("/key/capabilities/0")).isEqualTo("agent:read");
        assertThat(Instant.parse(changed.text("/key/expires_at")))
                .isBetween(
                        Instant.now().plus(Duration.ofMinutes(50)),
                        Instant.now().plus(Duration.ofMinutes(61)));
        var widened = maria.call("AK_Update", "{'id':'%s','toolset':['default']}".formatted(id))
                .ok();
        assertThat(widened.at("/key").has("toolset")).isFalse();
        assertThat(maria.call("AK_Update", "{'id':'%s'}".formatted(id))
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        maria.call("AK_Update", "{'id':'%s','name':'x','if_revision':1}".formatted(id))
                .refused(3003, "revision");
    }

    @Test
    void aRevokedKeyStaysListedAndADeletedOneDoesNot() {
        var one = made(maria, "'capabilities':['*']");
        var two = made(maria, "'capabilities':['*']");
        assertThat(maria.call("AK_Revoke", "{'id':'%s'}".formatted(one)).ok().text("/key/state"))
                .isEqualTo("revoked");
        assertThat(maria.call("AK_Revoke", "{'id':'%s'}".formatted(one))
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        maria.call("AK_Update", "{'id':'%s','name':'x'}".formatted(one)).refused(3003, "AK_Create");
        maria.call("AK_Rotate", "{'id':'%s'}".formatted(one)).refused(3003, "revoked");
        maria.call("AK_Delete", "{'id':'%s'}".formatted(two)).ok();
        maria.call("AK_Delete", "{'id':'%s'}".formatted(two)).refused(3001);
        assertThat(maria.call("AK_List").ok().texts("/keys", "state")).containsExactly("revoked", "active");
        maria.call("AK_Delete", "{'id':'%s'}".formatted(one)).ok();
        assertThat(maria.call("AK_List").ok().at("/keys").size()).isEqualTo(1);
    }

    @Test
    void aMemberManagesItsOwnUsersKeysAndAnAdminAll() {
        var bob = tenant.member("bob");
        var admin = tenant.person("root", Role.ADMIN);
        var id = made(maria, "'capabilities':['agent:read']");
        for (var service : new String[] {"AK_Update", "AK_Rotate", "AK_Revoke", "AK_Delete", "AK_Usage"}) {
            bob.call(service, "{'id':'%s'}".formatted(id)).refused(3001, "no key");
        }
        assertThat(bob.call("AK_List").ok().texts("/keys", "user")).containsOnly("bob");
        bob.call("AK_List", "{'target':{'user':'maria'}}").refused(2003, "admin");
        create(bob, "'capabilities':['*'],'target':{'user':'maria'}").refused(2003, "admin");
        assertThat(admin.call("AK_List").ok().texts("/keys", "user")).contains("maria", "bob", "root");
        assertThat(admin.call("AK_List", "{'target':{'user':'maria'}}").ok().texts("/keys", "user"))
                .containsOnly("maria");
        assertThat(create(admin, "'capabilities':['agent:read'],'target':{'user':'maria'}")
                        .ok()
                        .text("/key/user"))
                .isEqualTo("maria");
        admin.call("AK_Update", "{'id':'%s','name':'theirs'}".formatted(id)).ok();
        admin.call("AK_Rotate", "{'id':'%s'}".formatted(id)).ok();
        admin.call("AK_Revoke", "{'id':'%s'}".formatted(id)).ok();
        admin.call("AK_Delete", "{'id':'%s'}".formatted(id)).ok();
    }

    @Test
    void anAdminGetsNoKeyOfTheOwner() {
        var owner = tenant.owner();
        var admin = tenant.person("root", Role.ADMIN);
        var id = made(owner, "'capabilities':['agent:read']");
        create(admin, "'capabilities':['agent:read'],'target':{'user':'owner'}").refused(2003, "only an owner");
        admin.call("AK_Rotate", "{'id':'%s'}".formatted(id)).refused(2003, "only an owner");
        admin.call("AK_Revoke", "{'id':'%s'}".formatted(id)).refused(2003, "only an owner");
    }

    @Test
    void aViewerReadsItsKeysAndManagesNone() {
        var viewer = tenant.person("vic", Role.VIEWER);
        assertThat(viewer.call("AK_List").ok().texts("/keys", "user")).containsExactly("vic");
        create(viewer, "'capabilities':['agent:read']").refused(2003, "viewer", "member");
    }

    @Test
    void aKeyIsBoundToAnAgentOfItsOwnUser() {
        maria.call("AP_Create", "{'vx':{'name':'Scout','description':'d','access':'public'}}")
                .ok();
        var bob = tenant.member("bob");
        create(bob, "'capabilities':['*'],'agent':'Scout'").refused(2003, "its own user's agents");
        create(maria, "'capabilities':['*'],'agent':'Scout'").ok();
        maria.call("AP_Destroy", "{'target':{'agent':'Scout'}}").ok();
        assertThat(maria.call("AK_List").ok().texts("/keys", "state")).containsExactly("revoked", "active");
    }

    @Test
    void theListComesInPages() {
        for (var i = 0; i < 5; i++) {
            made(maria, "'capabilities':['*']");
        }
        var first = maria.call("AK_List", "{'page':{'limit':4}}").ok();
        var second = maria.call("AK_List", "{'page':{'limit':4,'cursor':'%s'}}".formatted(first.text("/next_cursor")))
                .ok();
        assertThat(first.at("/keys").size()).isEqualTo(4);
        assertThat(second.texts("/keys", "name")).containsExactly("report", "test");
        assertThat(second.envelope().has("next_cursor")).isFalse();
        for (var cursor : new String[] {"x", "YWJj", "MjAyNi0wMS0wMVQwMDowMDowMFo"}) {
            maria.call("AK_List", "{'page':{'cursor':'%s'}}".formatted(cursor)).refused(1004, "page.cursor");
        }
    }
}
