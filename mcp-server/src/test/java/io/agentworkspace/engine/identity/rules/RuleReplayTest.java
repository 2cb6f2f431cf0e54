package io.agentworkspace.engine.identity.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RL_Check replays a rule over the audit. */
class RuleReplayTest {
    /** 3,200 commands of the last days, of which 400 destroyed a bank; and 1,000 of 30 days ago. */
    private static final String HISTORY = """
            INSERT INTO audit (tenant_id, at, row_id, user_name, user_key, credential, tool, target_kind, target, target_key,
                               renamed_to, door, result, request_id)
            SELECT :tenant, CAST(:now AS timestamptz) - (CASE WHEN n > 3200 THEN interval '30 days' ELSE interval '1 hour' END) - n * interval '1 second',
                   gen_random_uuid(), CASE WHEN n % 4 = 0 THEN 'gone' ELSE 'ann' END, CASE WHEN n % 4 = 0 THEN 'gone' ELSE 'ann' END,
                   'key', (ARRAY['MB_Destroy','MB_Store','AP_Create','AP_Update','AP_Chat','DM_Create','MB_Store','AP_Destroy'])[1 + n % 8],
                   (ARRAY['bank','bank','agent','agent','zone','domain','bank','agent'])[1 + n % 8],
                   CASE WHEN n % 8 = 4 THEN 'Den/main' ELSE 'Thing ' || n END, 'thing ' || n, NULL, 'rest',
                   CASE WHEN n % 100 = 99 THEN 'rule_refused' ELSE 'done' END, 'r' || n
              FROM generate_series(1, 4200) n
            UNION ALL
            SELECT :tenant, CAST(:now AS timestamptz) - interval '1 minute', gen_random_uuid(), 'ann', 'ann', 'key', tool, 'agent', 'X', 'x',
                   NULL, 'rest', result, 'r'
              FROM (VALUES ('AP_Destroy', 'not_found'), ('session.start', 'done')) other (tool, result)
            """;

    private final TestTenant tenant = new TestTenant();
    private final TestCaller boss = tenant.person("boss", Role.ADMIN);

    @BeforeEach
    void makeHistory() {
        tenant.member("ann");
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql(HISTORY)
                    .set("tenant", tenant.id(api))
                    .set("now", Instant.now().truncatedTo(ChronoUnit.MILLIS))
                    .run();
        }
    }

    @Test
    void tellsWhatWouldHaveBeenDenied() {
        var replay = boss.call(
                        "RL_Check",
                        "{'when':'command.name == \\\"MB_Destroy\\\" && sameName(target.bank, \\\"thing 800\\\")','replay':{}}")
                .ok();
        assertThat(replay.text("/summary")).isEqualTo("would have denied 1 of 3,200");
        assertThat(replay.text("/replayed/examples/0/target")).isEqualTo("Thing 800");
        assertThat(replay.text("/replayed/examples/0/request_id")).isEqualTo("r800");
        assertThat(replay.number("/replayed/applies")).isEqualTo(3_200);
        assertThat(replay.at("/replayed/truncated").asBoolean()).isFalse();
    }

    /** A replay shows entries of the audit. */
    @Test
    void needsTheCapabilityOfTheAudit() {
        var narrow = tenant.person("nora", Role.ADMIN, "rule:read");
        narrow.call("RL_Check", "{'when':'true','replay':{}}").refused(2003, "account:read");
        narrow.call("RL_Check", "{'when':'true'}").ok();
    }

    @Test
    void goesBackAsFarAsAsked() {
        var replay = boss.call(
                        "RL_Check",
                        "{'when':'command.effect == \\\"destroys\\\"','applies_to':['bank'],'replay':{'days':90}}")
                .ok();
        assertThat(replay.text("/summary")).isEqualTo("would have denied 525 of 4,200");
        assertThat(replay.at("/replayed/examples").size()).isEqualTo(20);
        assertThat(replay.text("/replayed/examples/0/target"))
                .as("the latest first")
                .isEqualTo("Thing 8");
    }

    /** The audit does not contain texts, or the role of a removed user. */
    @Test
    void saysWhatItCannotTell() {
        var content = boss.call("RL_Check", "{'when':'size(content) > 5','replay':{}}")
                .ok();
        assertThat(content.text("/summary"))
                .isEqualTo(
                        "would have denied 0 of 3,200; 1,200 could not be judged, since the rule needs what the audit does not keep, such as content");
        var role = boss.call("RL_Check", "{'when':'principal.role == \\\"member\\\"','replay':{}}")
                .ok();
        assertThat(role.number("/replayed/matches")).isEqualTo(2_400);
        assertThat(role.number("/replayed/undecided")).isEqualTo(800);
        var names = boss.call(
                        "RL_Check", "{'template':'name-convention','replay':{},'applies_to':['AP_Create','AP_Update']}")
                .ok();
        assertThat(names.number("/replayed/matches"))
                .as("the name of a new thing is known")
                .isEqualTo(400);
        assertThat(names.number("/replayed/undecided")).isEqualTo(400);
        var zones = boss.call(
                        "RL_Check",
                        "{'when':'target.domain == \\\"Den\\\" && target.zone == \\\"main\\\"','replay':{}}")
                .ok();
        assertThat(zones.number("/replayed/matches")).isEqualTo(400);
    }

    @Test
    void whatFailsWouldHaveBeenDenied() {
        var replay = boss.call("RL_Check", "{'when':'1 / size(target.bank) > 2','replay':{}}")
                .ok();
        assertThat(replay.number("/replayed/failures")).isEqualTo(2_000);
        assertThat(replay.number("/replayed/matches")).isEqualTo(2_000);
    }

    /** A command that really ran is replayed with its real values. */
    @Tag("slow")
    @Test
    void findsWhatWasDoneJustNow() {
        var cy = tenant.member("cy");
        cy.call("MB_Create", "{'vx':{'name':'Ledger'}}").ok();
        cy.call("MB_Destroy", "{'target':{'bank':'Ledger'}}").ok();
        var replay = boss.call(
                        "RL_Check", "{'template':'protect-destroy','parameters':{'names':['ledger']},'replay':{}}")
                .ok();
        assertThat(replay.text("/summary")).startsWith("would have denied 1 of 3,202");
        assertThat(replay.text("/replayed/examples/0/user")).isEqualTo("cy");
    }
}
