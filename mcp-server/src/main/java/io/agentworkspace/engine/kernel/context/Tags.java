package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.model.problem.Problem;
import java.text.Normalizer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The tags of memories: 1–64 characters each, normalized like names, without duplicates, in the given order. */
public final class Tags {
    private Tags() {}

    /** @throws Problem {@code invalid_field} for a blank tag; the schema checks everything else */
    public static @Nullable List<String> checked(@Nullable List<String> tags) {
        if (tags == null) {
            return null;
        }
        return IntStream.range(0, tags.size())
                .mapToObj(i -> checked(tags.get(i), i))
                .distinct()
                .toList();
    }

    private static String checked(String text, int index) {
        var tag = Normalizer.normalize(text, Normalizer.Form.NFC).strip();
        if (tag.isEmpty()) {
            throw Problem.invalid("vx.tags[%d]".formatted(index), "must be 1–64 characters");
        }
        return tag;
    }
}
