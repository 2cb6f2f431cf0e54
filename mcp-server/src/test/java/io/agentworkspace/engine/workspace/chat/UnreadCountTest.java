package io.agentworkspace.engine.workspace.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.SignedIn;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is stored for each party always gives the number of its unread messages, whoever speaks and reads in which order. */
class UnreadCountTest {
    private static final int STEPS = 150;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
    private final TestCaller ann = (name, input) -> ClientApi.REST.call(TestServer.url(), key, name, input);
    private final TestCaller person = SignedIn.at(TestServer.url(), key);
    private final Random random = new Random(48);

    /** Returns the streams where a party's row gives another number than its messages. */
    private List<String> wrong() {
        return TestDatabase.db()
                .sql("""
                        SELECT format('%s in %s: %s, %s, %s of %s', p.party_id, p.conversation_id, p.read_seq, p.own_unread, p.last_seq,
                                      st.last_seq) AS place
                          FROM participant p
                          JOIN conversation st ON st.tenant_id = p.tenant_id AND st.id = p.conversation_id
                         WHERE p.tenant_id = :tenant
                           AND COALESCE(p.last_seq, st.last_seq) - p.read_seq - p.own_unread
                               <> (SELECT count(*) FROM message m
                                    WHERE m.tenant_id = p.tenant_id AND m.conversation_id = p.conversation_id
                                      AND m.seq > p.read_seq AND m.speaker_id <> p.party_id)
                        """)
                .set("tenant", tenant.id(ClientApi.REST))
                .list(row -> row.text("place"));
    }

    /** Some texts are cut in the response to a write, and so stay unread. */
    private String text() {
        return random.nextInt(4) == 0 ? "x".repeat(600) : "x";
    }

    private TestCaller anyOf(TestCaller one, TestCaller other) {
        return random.nextBoolean() ? one : other;
    }

    private void step(int what) {
        var page = "'page':{'limit':%d}".formatted(1 + random.nextInt(3));
        switch (what) {
            case 0, 1 -> ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'%s',%s}".formatted(text(), page));
            case 2, 3 ->
                ann.call(
                        "AP_Chat",
                        "{'target':{'context':'Ada'},'to_user':true,'content':'%s',%s}".formatted(text(), page));
            case 4 -> ann.call("AP_Read", "{'target':{'agent':'Ada'},%s}".formatted(page));
            case 5 -> ann.call("AP_Read", "{'target':{'context':'Ada'},'inbox':true,%s}".formatted(page));
            case 6 -> anyOf(ann, person).call("AP_Read", "{'inbox':true,%s}".formatted(page));
            case 7 -> DomainSetup.say(ann, "default", "room", "main", text());
            case 8 -> DomainSetup.say(ann, "Ada", "room", "main", "x");
            default ->
                anyOf(ann, person).call("ZN_Read", "{'target':{'domain':'room','zone':'main'},%s}".formatted(page));
        }
    }

    @Test
    void whatIsStoredGivesTheUnreadMessages() {
        DomainSetup.agents(ann, "Ada");
        DomainSetup.domain(ann, "room", "public");
        DomainSetup.invite(ann, "room", "Ada").ok();
        for (var number = 0; number < STEPS; number++) {
            var what = random.nextInt(10);
            step(what);
            assertThat(wrong()).as("after step %d, %d", number, what).isEmpty();
        }
        var messages = TestDatabase.db()
                .sql("SELECT count(*) FROM message WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number(1))
                .orElseThrow();
        assertThat(messages).isGreaterThan(STEPS / 3);
    }
}
