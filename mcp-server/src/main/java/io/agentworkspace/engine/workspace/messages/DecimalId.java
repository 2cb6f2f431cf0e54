package io.agentworkspace.engine.workspace.messages;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Creates the ids of messages: UUIDs of version 8 (RFC 9562) with decimal digits only, 99 bits of them random. They
 * take models about a third fewer tokens than other UUIDs.
 */
final class DecimalId {
    private DecimalId() {}

    static UUID random() {
        return UUID.fromString("%s-%s-8%s-8%s-%s".formatted(digits(8), digits(4), digits(3), digits(3), digits(12)));
    }

    private static String digits(int count) {
        var digits = new StringBuilder(count);
        ThreadLocalRandom.current().ints(count, 0, 10).forEach(digits::append);
        return digits.toString();
    }
}
