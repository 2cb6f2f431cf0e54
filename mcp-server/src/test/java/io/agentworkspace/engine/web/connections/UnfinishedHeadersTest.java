package io.agentworkspace.engine.web.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.junit.jupiter.api.Test;

class UnfinishedHeadersTest {
    private static final HttpField FIRST = new HttpField("a", "1");
    private static final HttpField SECOND = new HttpField("a", "2");

    private final UnfinishedHeaders headers = new UnfinishedHeaders();

    @Test
    void eachRequestHasItsOwnInTheirOrder() {
        headers.add(FIRST);
        headers.add(SECOND);
        assertThat(headers.take()).containsExactly(FIRST, SECOND);
        headers.add(SECOND);
        assertThat(headers.take()).containsExactly(SECOND);
        assertThat(headers.take()).isEmpty();
    }

    @Test
    void aConnectionThatGaveWayKeepsNoneAndServesNoRequest() {
        headers.add(FIRST);
        headers.discard();
        headers.add(SECOND);
        assertThatThrownBy(headers::take).isInstanceOf(HttpException.RuntimeException.class);
    }
}
