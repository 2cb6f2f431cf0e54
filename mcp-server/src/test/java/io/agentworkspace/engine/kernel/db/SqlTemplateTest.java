package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SqlTemplateTest {
    @Test
    void aFragmentGoesWhereverItsNameIs() {
        assertThat(SqlTemplate.of("SELECT {a}.id FROM agent {a} LIMIT {most}")
                        .with("a", "x")
                        .with("most", 5)
                        .sql())
                .isEqualTo("SELECT x.id FROM agent x LIMIT 5");
    }

    @Test
    void arraysAreNoNames() {
        assertThat(SqlTemplate.of("SELECT {tags} || '{default}'")
                        .with("tags", "'{none}'")
                        .sql())
                .isEqualTo("SELECT '{none}' || '{default}'");
    }

    @Test
    void eachNameHasOneFragment() {
        assertThatThrownBy(() -> SqlTemplate.of("SELECT {id}").sql()).hasMessage("{id} has no fragment");
        assertThatThrownBy(() -> SqlTemplate.of("SELECT 1").with("id", "a.id")).hasMessage("the statement has no {id}");
        assertThatThrownBy(
                        () -> SqlTemplate.of("SELECT {id}").with("id", "a.id").with("id", "b.id"))
                .hasMessage("{id} has a fragment");
    }
}
