package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import org.junit.jupiter.api.Test;

/** A client of the command routes that sends every field of the contract; fields without a value are blank or null. */
class LegacyClientTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.OWNER);

    @Test
    void aBlankChoiceIsOneThatWasNotMade() {
        var created = ann.call("AP_Create", """
                        {'target':{'user':'ann','agent':'','domain':'','bank':''},'content':'',
                         'vx':{'name':'Ada','description':'d','profile':null,'access':''}}""").ok();
        assertThat(created.text("/agent/access")).isEqualTo("private");
        ann.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'d','access':'public'}}")
                .ok();
        var updated = ann.call(
                        "AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'e','access':' '}}")
                .ok();
        assertThat(updated.text("/agent/access")).isEqualTo("public");
        ann.call("MB_Create", "{'target':{'user':'ann','agent':'','bank':'b'},'vx':{'name':'','access':''}}")
                .ok();
        var report = ann.call("MB_Permissions", "{'target':{'bank':'b','agent':'Ada'},'vx':{'name':'','access':''}}")
                .ok();
        assertThat(report.at("/changed").asBoolean()).isFalse();
    }

    @Test
    void aBlankCursorMeansTheFirstPage() {
        ann.call("MB_Create", "{'target':{'bank':'b'}}").ok();
        ann.call("MB_Read", "{'target':{'bank':'b'},'page':{'cursor':''}}").ok();
        ann.call("AP_List", "{'page':{'cursor':''}}").ok();
    }

    @Test
    void anIdempotencyKeyTellsApartWhomAnAdminActsFor() {
        tenant.person(ClientApi.REST, "bob", Role.MEMBER);
        tenant.person(ClientApi.REST, "eve", Role.MEMBER);
        ann.call("AP_LogOff", "{'target':{'user':'bob'},'idempotency_key':'k'}").ok();
        ann.call("AP_LogOff", "{'target':{'user':'eve'},'idempotency_key':'k'}").refused(3005);
    }
}
