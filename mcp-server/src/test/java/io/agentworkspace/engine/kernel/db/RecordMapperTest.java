package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RecordMapperTest {
    private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-000000000001");

    private static Db db;

    @BeforeAll
    static void open() {
        db = TestDatabase.fresh("records");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private static <T extends Record> T read(Class<T> type, String columns) {
        return db.sql("SELECT " + columns).one(row -> row.as(type)).orElseThrow();
    }

    record Values(
            String text,
            @Nullable String none,
            long number,
            @Nullable Long noNumber,
            @Nullable Integer whole,
            boolean isOpen,
            @Nullable Boolean noFlag,
            Instant createdAt,
            UUID bank,
            Access access,
            List<String> words,
            List<Long> numbers) {}

    @Test
    void eachComponentReadsTheColumnOfItsName() {
        var values = read(Values.class, """
                'a' AS text, NULL AS none, CAST(7 AS bigint) AS number, CAST(NULL AS bigint) AS no_number, count(*) AS whole,
                true AS open, CAST(NULL AS boolean) AS no_flag, CAST('2026-01-02T03:04:05Z' AS timestamptz) AS created_at,
                CAST('00000000-0000-0000-0000-000000000001' AS uuid) AS bank_id, 'domain' AS access, ARRAY['x', 'y'] AS words,
                CAST('{1,2}' AS bigint[]) AS numbers, 'ignored' AS other
                """);
        assertThat(values)
                .isEqualTo(new Values(
                        "a",
                        null,
                        7,
                        null,
                        1,
                        true,
                        null,
                        Instant.parse("2026-01-02T03:04:05Z"),
                        ID,
                        Access.DOMAIN,
                        List.of("x", "y"),
                        List.of(1L, 2L)));
    }

    record Place(String city, int number) {}

    record House(
            long owner,
            String ownerName,
            Context.@Nullable Ref guest,
            Context.@Nullable Ref nobody,
            @JsonUnwrapped Place place,
            Place next,
            @Nullable Place asJson,
            List<Place> others) {}

    @Test
    void recordsWithinRecordsReadTheirOwnColumns() {
        var house = read(House.class, """
                1 AS owner_id, 'ann' AS owner_name, 2 AS guest_id, 'bob' AS guest_name,
                CAST(NULL AS bigint) AS nobody_id, CAST(NULL AS text) AS nobody_name, 'Ulm' AS city, 3 AS number,
                'Bonn' AS next_city, 4 AS next_number, CAST('{"city":"Köln","number":5}' AS jsonb) AS as_json,
                CAST(NULL AS jsonb) AS others
                """);
        assertThat(house)
                .isEqualTo(new House(
                        1,
                        "ann",
                        new Context.Ref(2, "bob"),
                        null,
                        new Place("Ulm", 3),
                        new Place("Bonn", 4),
                        new Place("Köln", 5),
                        List.of()));
    }

    @Test
    void aPrefixSelectsTheColumnsOfOneOfSeveralRecords() {
        var both = db.sql("SELECT 'a' AS old_city, 1 AS old_number, 'b' AS new_city, 2 AS new_number")
                .one(row -> List.of(row.as("old_", Place.class), row.as("new_", Place.class)))
                .orElseThrow();
        assertThat(both).containsExactly(new Place("a", 1), new Place("b", 2));
    }

    @Test
    void aComponentWithoutAColumnIsRefusedByName() {
        assertThatThrownBy(() -> read(Place.class, "'Ulm' AS city"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no column number for number of " + Place.class.getName() + ": [city]");
    }

    @Test
    void nullIsRefusedWhereTheComponentCannotBeNull() {
        assertThatThrownBy(() -> read(Place.class, "CAST(NULL AS text) AS city, 1 AS number"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("city of Place is null in the database");
    }

    @Test
    void anUnknownWordIsRefused() {
        record Shown(Access access) {}
        assertThatThrownBy(() -> read(Shown.class, "'secret' AS access")).hasMessageContaining("SECRET");
    }
}
