package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A response, with what tests check. */
public record Reply(ObjectNode envelope) {
    /** Returns the node at a JSON pointer, such as {@code /content/0/agent}; a missing node if there is none. */
    public JsonNode at(String pointer) {
        return envelope.at(pointer);
    }

    public String text(String pointer) {
        return at(pointer).asString("");
    }

    public long number(String pointer) {
        return at(pointer).asLong();
    }

    /** Returns the text of one field of each element of an array, in order. */
    public List<String> texts(String array, String field) {
        return at(array)
                .valueStream()
                .map(node -> node.path(field).asString(""))
                .toList();
    }

    public int code() {
        return at("/status/internal_code").asInt();
    }

    public String note() {
        return text("/status/note");
    }

    public Reply ok() {
        assertThat(code()).as(envelope::toString).isZero();
        assertThat(at("/status/success").asBoolean()).as(envelope::toString).isTrue();
        assertThat(at("/status/http_code").asInt()).isEqualTo(200);
        return this;
    }

    /** Checks that the call was refused with this code, and that the note contains each of these words. */
    public Reply refused(int code, String... noted) {
        assertThat(code()).as(envelope::toString).isEqualTo(code);
        assertThat(at("/status/success").asBoolean()).isFalse();
        java.util.Arrays.stream(noted).forEach(part -> assertThat(note()).contains(part));
        return this;
    }
}
