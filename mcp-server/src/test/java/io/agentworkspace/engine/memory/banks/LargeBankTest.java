package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bank with more memories than the 10,000 that one call looks at: wanted memories may come after these. */
class LargeBankTest {
    /** The texts of the wanted memories, by the calls that find them. A text is the memory's place in the list. */
    private static final List<List<String>> WANTED =
            List.of(List.of("1", "10000"), List.of("10001", "20000"), List.of("20001", "20500"));

    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;

    @BeforeEach
    void thereIsALargeBank() {
        agent(ann, "Ada");
        agent(ann, "Bo");
        bank(ann, "b");
        for (var name : List.of("Ada", "Bo")) {
            grant(ann, "b", name, "write").ok();
        }
        for (var tenant : fixture.tenants()) {
            // Groups of three have the same time, so the order depends on the ids, too.
            TestDatabase.db().sql("""
                    INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from,
                                        pinned, created_at, updated_at)
                    SELECT b.tenant_id, b.id, CAST('00000000-0000-4000-8000-' || lpad(to_hex(100000 - i), 12, '0') AS uuid),
                           'name ' || lpad(i::text, 5, '0'), 'name ' || lpad(i::text, 5, '0'), i::text,
                           CASE WHEN rare THEN ARRAY['rare'] ELSE ARRAY['often'] END, a.id, ARRAY[a.id], '{}',
                           false, TIMESTAMPTZ '2026-01-01Z' - i / 3 * INTERVAL '1 second', TIMESTAMPTZ '2026-01-01Z'
                      FROM bank b, generate_series(1, 20500) i,
                           LATERAL (SELECT i IN (1, 10000, 10001, 20000, 20001, 20500) AS rare) kind
                      JOIN agent a ON a.name_key = CASE WHEN rare THEN 'ada' ELSE 'bo' END
                     WHERE b.tenant_id = :tenant AND a.tenant_id = :tenant AND b.name_key = 'b'
                    """).set("tenant", tenant).run();
        }
    }

    /** Returns the texts of all pages. */
    private List<List<String>> pages(String filter) {
        var pages = new ArrayList<List<String>>();
        var cursor = "";
        do {
            var page = ann.call(
                            "MB_Read",
                            "{'target':{'bank':'b'%s,'page':{'limit':2%s}}"
                                    .formatted(filter, cursor.isEmpty() ? "" : ",'cursor':'%s'".formatted(cursor)))
                    .ok();
            pages.add(page.texts("/content", "text"));
            cursor = page.text("/next_cursor");
        } while (!cursor.isEmpty());
        return pages;
    }

    @Test
    void memoriesFarApartAreFoundByFurtherCalls() {
        assertThat(pages("},'vx':{'tags':['rare']}")).isEqualTo(WANTED);
        assertThat(pages(",'agent':'Ada'}")).isEqualTo(WANTED);
        assertThat(pages(",'agent':'Ada'},'as_of':'%s'".formatted(Instant.now())))
                .isEqualTo(WANTED);
        assertThat(pages("},'vx':{'tags':['nothing']}"))
                .isEqualTo(List.of(List.<String>of(), List.<String>of(), List.<String>of()));
        ann.call("MB_Censor", share("b", "Bo")).ok();
        assertThat(pages("}")).isEqualTo(WANTED);
    }

    @Test
    void aFullPageEndsAsUsual() {
        var read = ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'tags':['often']},'page':{'limit':2}}")
                .ok();
        assertThat(read.texts("/content", "text")).containsExactly("2", "3");
    }

    @Test
    void loadingLooksAtTheNewestOfEachKind() {
        for (var tenant : fixture.tenants()) {
            TestDatabase.db()
                    .sql("UPDATE memory SET pinned = true WHERE tenant_id = :tenant AND text = '20500'")
                    .set("tenant", tenant)
                    .run();
        }
        ann.call("MB_Censor", share("b", "Bo")).ok();
        assertThat(ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'b'}}")
                        .ok()
                        .texts("/content", "text"))
                .containsExactly("20500", "1", "10000");
    }

    @Test
    void similarNamesAreFoundAnywhere() {
        store(ann, "b", "x").ok();
        ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'name 15000x'}}")
                .refused(3001, "'name 15000'");
    }
}
