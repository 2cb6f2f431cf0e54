package io.agentworkspace.engine.model.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserHandleTest {
    @Test
    void aNameIsNoAddressAndAnAddressNoName() {
        assertThat(UserHandle.checked("f", " @Maria ").key()).isEqualTo("maria");
        assertThat(UserHandle.checked("f", "maria").isAddress()).isFalse();
        var address = UserHandle.checked("f", " Maria@Example.ORG ");
        assertThat(address.isAddress()).isTrue();
        assertThat(address.text()).isEqualTo("Maria@Example.ORG");
        assertThat(address.key()).isEqualTo("maria@example.org");
        assertThat(Name.broken("maria@example.org")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@b@c", "a@", "@", "@@a", "a b@c", "a\u0000@b", "a\u200b@b", "a@b\ud800", "a!"})
    void whatIsNeitherIsRefused(String text) {
        assertThatThrownBy(() -> UserHandle.checked("target.user", text))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("target.user");
        assertThat(EmailAddress.key(text)).isEmpty();
    }

    @Test
    void anAddressHasAnEnd() {
        assertThat(EmailAddress.key("a".repeat(252) + "@b")).isPresent();
        assertThat(EmailAddress.key("a".repeat(253) + "@b")).isEmpty();
        assertThatThrownBy(() -> UserHandle.checked("f", "a".repeat(1_000_000) + "@b"))
                .isInstanceOf(Problem.class);
    }

    /** Unicode's rules make a k of the Kelvin sign, and an i of the one without a dot: other people's mailboxes. */
    @Test
    void lettersThatOnlyLookAlikeStayApart() {
        assertThat(EmailAddress.key("mi\u212Ae@example.org")).hasValue("mi\u212Ae@example.org");
        assertThat(EmailAddress.key("m\u0131ke@example.org")).hasValue("m\u0131ke@example.org");
        assertThat(UserHandle.of("mi\u212Ae@example.org").key()).isNotEqualTo("mike@example.org");
    }
}
