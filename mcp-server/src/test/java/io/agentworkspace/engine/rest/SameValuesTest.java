package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.webhooks.WebhookToolsFixture;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An update with unchanged values changes nothing: no revision, no event. */
class SameValuesTest {
    private final WebhookToolsFixture fixture = new WebhookToolsFixture();
    private final TestCaller owner = fixture.tenant.person("owner", Role.OWNER);

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            AP_Update | agent  | {'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'d'}}
            AP_Update | agent  | {'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'d','profile':'p','access':'public'}}
            AP_Modify | agent  | {'target':{'agent':'Ada'},'vx':{'description':'d'}}
            AP_Modify | agent  | {'target':{'agent':'Ada'},'vx':{'profile':'p','access':'public','name':'Ada'},'if_revision':1}
            AP_Modify | agent  | {'target':{'agent':'Ada'}}
            DM_Update | domain | {'target':{'domain':'Den'},'vx':{'name':'Den','description':'d'}}
            DM_Update | domain | {'target':{'domain':'Den'},'vx':{'name':'Den','description':'d','profile':'p','access':'public'}}
            MB_Update | bank   | {'target':{'bank':'Box'},'vx':{'name':'Box'}}
            MB_Update | bank   | {'target':{'bank':'Box'},'vx':{'name':'Box','description':'d','access':'public'}}
            US_Update | user   | {'target':{'user':'vic'}}
            US_Update | user   | {'target':{'user':'vic'},'vx':{'name':'vic','access':'viewer'}}
            """)
    void ofACommand(String service, String kind, String arguments) {
        owner.call("AP_Create", "{'vx':{'name':'Ada','description':'d','profile':'p','access':'public'}}")
                .ok();
        owner.call("DM_Create", "{'vx':{'name':'Den','description':'d','profile':'p','access':'public'}}")
                .ok();
        owner.call("MB_Create", "{'vx':{'name':'Box','description':'d','access':'public'}}")
                .ok();
        owner.call("US_Create", "{'vx':{'name':'vic','access':'viewer'}}").ok();
        var before = events();
        unchanged(owner.call(service, arguments).ok(), kind);
        assertThat(events()).isEqualTo(before);
    }

    @Test
    void ofAKey() {
        var id = owner.call("AK_Create", """
                {'name':'ci','environment':'test','capabilities':['bank:read','agent:read'],'toolset':['bank','agent'],
                 'expires_at':'2999-01-01T00:00:00Z'}""").ok().text("/key/id");
        for (var fields : List.of(
                "'name':'ci'",
                "'environment':'test'",
                "'capabilities':['agent:read','bank:read']",
                "'toolset':['agent','bank']",
                "'confirm_destructive':false",
                "'expires_at':'2999-01-01T00:00:00Z'")) {
            unchanged(
                    owner.call("AK_Update", "{'id':'%s',%s}".formatted(id, fields))
                            .ok(),
                    "key");
        }
        assertThat(owner.call("AK_Update", "{'id':'%s','name':'ci','environment':'live'}".formatted(id))
                        .ok()
                        .number("/revision"))
                .isEqualTo(2);
    }

    /** The URL is checked again, which does not change the endpoint. */
    @Test
    void ofAnEndpoint() {
        var id = fixture.create("'events':['webhook.test'],'description':'CI'")
                .ok()
                .text("/endpoint/id");
        var before = events();
        for (var fields : List.of(
                "'events':['webhook.test']",
                "'description':'CI'",
                "'enabled':true",
                "'url':'%s'".formatted(WebhookToolsFixture.NOWHERE))) {
            unchanged(
                    fixture.root
                            .call("WH_Update", "{'id':'%s',%s}".formatted(id, fields))
                            .ok(),
                    "endpoint");
        }
        assertThat(events()).isEqualTo(before);
    }

    @Test
    void theEventNamesJustWhatDiffers() {
        owner.call("AP_Create", "{'vx':{'name':'Ada','description':'d','profile':'p'}}")
                .ok();
        owner.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'e','profile':'p'}}")
                .ok();
        assertThat(fixture.eventData("agent.deployment.updated"))
                .containsExactly(
                        "{'access':'private','agent':'Ada','changed':['description'],'owner':'owner','revision':2}");
    }

    @Test
    void aDomainsProfileCanBeReplaced() {
        owner.call("DM_Create", "{'vx':{'name':'Den','description':'d','profile':'p'}}")
                .ok();
        var updated = owner.call(
                        "DM_Update", "{'target':{'domain':'Den'},'vx':{'name':'Den','description':'d','profile':'q'}}")
                .ok();
        assertThat(updated.text("/domain/profile")).isEqualTo("q");
        assertThat(updated.at("/changed").asBoolean()).isTrue();
        assertThat(updated.number("/revision")).isEqualTo(2);
    }

    private static void unchanged(Reply reply, String kind) {
        assertThat(reply.at("/changed").asBoolean(true)).isFalse();
        assertThat(reply.number("/revision")).isEqualTo(1);
        assertThat(reply.number("/" + kind + "/revision")).isEqualTo(1);
    }

    private List<String> events() {
        return TestDatabase.db()
                .sql("SELECT type FROM event WHERE tenant_id = :tenant ORDER BY ordinal")
                .set("tenant", fixture.tenant.id(ClientApi.MCP))
                .list(row -> row.text("type"));
    }
}
