package io.agentworkspace.engine.wire;

import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test if a message during it was invalid by the schema of its revision. It is registered for all tests. */
public final class EveryMessageIsValid
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Faults.strict(!context.getRequiredTestClass().isAnnotationPresent(SendsAnything.class));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Faults.strict(!context.getRequiredTestClass().isAnnotationPresent(SendsAnything.class)
                && !context.getRequiredTestMethod().isAnnotationPresent(SendsAnything.class));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        check(Faults.take());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        check(Faults.take());
    }

    private static void check(List<String> faults) {
        if (!faults.isEmpty()) {
            var examples = faults.subList(0, Math.min(5, faults.size()));
            throw new AssertionError("%d messages are not valid by their revision's schema:%n%s"
                    .formatted(faults.size(), String.join("\n", examples)));
        }
    }
}
