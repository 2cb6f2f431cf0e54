package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Divides one text at its headings. */
public final class SectionReader {
    /** The characters of the largest note, several times. */
    private static final long MOST_STEPS = 64L << 20;

    private SectionReader() {}

    public static List<Section> of(String path, String markdown, @Nullable Instant date) {
        var reader = new MarkdownSections(allowance());
        reader.read(path, markdown, date);
        return reader.sections();
    }

    public static StepAllowance allowance() {
        return new StepAllowance(MOST_STEPS, () -> Problem.invalid("data", "takes too long to divide into sections"));
    }
}
