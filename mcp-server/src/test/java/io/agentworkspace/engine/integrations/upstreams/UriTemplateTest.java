package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Problem;
import org.junit.jupiter.api.Test;

class UriTemplateTest {
    private static StepAllowance steps(long most) {
        return new StepAllowance(most, () -> Problem.invalid("uri", "takes too long"));
    }

    private static boolean matches(String template, String uri) {
        return new UriTemplate(template).matches(uri, steps(1_000));
    }

    @Test
    void aSimpleVariableIsAPartAndOthersMayHaveSlashes() {
        assertThat(matches("notes://{user}/{id}", "notes://ann/1")).isTrue();
        assertThat(matches("notes://{user}", "notes://ann/1")).isFalse();
        assertThat(matches("notes://{+path}", "notes://ann/1")).isTrue();
        assertThat(matches("notes://{+path}", "notes://ann/../1")).isFalse();
    }

    /** Each part of the template is compared with each character of the URI: the server decides on one, a caller on the other. */
    @Test
    void manyVariablesAndALongUriEndWithTheSteps() {
        var template = new UriTemplate("notes:" + "{+a}".repeat(240));
        var uri = "notes:" + "a".repeat(500_000);
        assertThatThrownBy(() -> template.matches(uri, steps(1_000_000))).isInstanceOf(Problem.class);
        assertThat(template.matches("notes:" + "a".repeat(1_000), steps(1_000_000)))
                .isTrue();
    }
}
