package io.agentworkspace.engine.kernel.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EventCheck;
import io.agentworkspace.engine.testing.QuotaFixture;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/** Events of each type, caused through each endpoint, are valid against the published schema. */
class EventSchemasTest {
    private QuotaFixture fixture;

    private String done(String service, String arguments) {
        return fixture.call(TestServer.url(), service, arguments).ok().text("/endpoint/id");
    }

    private String endpoint() {
        return done("WH_Create", "{'url':'http://127.0.0.1:1/','events':['webhook.test']}");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void everyTypeIsValid(ClientApi api) {
        fixture = new QuotaFixture(api);
        fixture.plan(TestServer.url(), "free");
        done("AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        done("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'public'}}");
        done("DM_Create", "{'vx':{'name':'Den','description':'d'}}");
        done("DM_Invite", "{'target':{'domain':'Den','agent':'Ada'}}");
        done("MB_Create", "{'vx':{'name':'Box'}}");
        done("MB_Store", "{'target':{'bank':'Box'},'content':'c'}");
        done("TK_Create", "{'target':{'domain':'Den'},'vx':{'name':'t'}}");
        var question = fixture.call(
                        TestServer.url(), "AP_Ask", "{'target':{'domain':'Den'},'content':'q','choices':['a','b']}")
                .ok()
                .text("/question/id");
        done("AP_LogOn", "{'target':{'agent':'Ada'}}");
        done("AP_Answer", "{'question':'%s','choice':'a'}".formatted(question));
        done("AP_LogOff", "{}");
        done("AP_Destroy", "{'target':{'agent':'Ada'}}");
        var id = endpoint();
        endpoint();
        endpoint();
        fixture.call(TestServer.url(), "WH_Create", "{'url':'http://127.0.0.1:1/','events':['*']}")
                .refused(4002);
        awaitTypes("quota.threshold.reached");
        done("WH_Test", "{'event_type':'webhook.test','data':{'a':null}}");
        done("WH_Update", "{'id':'%s','enabled':false}".formatted(id));
        done("WH_Delete", "{'id':'%s'}".formatted(id));
        done("DC_Submit", "{'name':'a.txt','text':'Some words.'}");
        done("DC_Submit", "{'name':'b.txt','base64':'IA=='}");
        awaitTypes(EventType.words().toArray(String[]::new));
        TestDatabase.db()
                .sql("SELECT type, data FROM event WHERE tenant_id = :tenant")
                .set("tenant", fixture.tenant)
                .list(row -> EventCheck.faults(
                        EventType.find(row.text("type")).orElseThrow(), row.json("data", ObjectNode.class)))
                .forEach(faults -> assertThat(faults).isEmpty());
    }

    private void awaitTypes(String... types) {
        await().untilAsserted(() -> assertThat(TestDatabase.db()
                        .sql("SELECT DISTINCT type FROM event WHERE tenant_id = :tenant")
                        .set("tenant", fixture.tenant)
                        .list(row -> row.text("type")))
                .contains(types));
    }
}
