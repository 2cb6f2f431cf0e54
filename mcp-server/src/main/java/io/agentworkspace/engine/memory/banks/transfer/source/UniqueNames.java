package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.text.Excerpt;
import java.util.HashMap;
import java.util.Map;

/** The names that memories of an import have. A number follows a name that an earlier one has. */
public final class UniqueNames {
    /** The room for the number. */
    private static final int NUMBER = 8;

    /** Each with the number that the next memory with this name gets. */
    private final Map<String, Integer> numbers = new HashMap<>();

    /** Returns the name, with a number if an earlier memory has it. */
    public String of(String raw) {
        var name = Excerpt.cut(raw, MemoryName.MAX - NUMBER).strip();
        var key = Name.key(name);
        var number = numbers.getOrDefault(key, 1);
        var unique = name;
        while (number > 1 && numbers.containsKey(Name.key(unique = "%s %d".formatted(name, number)))) {
            number++;
        }
        numbers.put(key, number + 1);
        numbers.putIfAbsent(Name.key(unique), 2);
        return unique;
    }
}
