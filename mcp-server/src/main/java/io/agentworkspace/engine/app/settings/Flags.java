package io.agentworkspace.engine.app.settings;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The command line: {@code --port 8081} or {@code --port=8081}, for every setting. */
final class Flags {
    private Flags() {}

    /** Returns the text of each flag, by the name of its setting. */
    static Map<String, String> read(List<String> commandLine, List<Setting<?>> settings) {
        var values = new HashMap<String, String>();
        for (Iterator<String> words = commandLine.iterator(); words.hasNext(); ) {
            String[] parts = words.next().split("=", 2);
            Setting<?> setting = named(parts[0], settings);
            String value = parts.length == 2 ? parts[1] : words.hasNext() ? words.next() : "";
            if (value.isBlank()) {
                throw new InvalidSetting(parts[0] + " needs a value: " + setting.right());
            }
            values.put(setting.name(), value);
        }
        return values;
    }

    private static Setting<?> named(String flag, List<Setting<?>> settings) {
        return settings.stream()
                .filter(setting -> setting.flag().equals(flag))
                .findFirst()
                .orElseThrow(() -> new InvalidSetting(flag + " is not a flag; --help lists all flags"));
    }
}
