package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.distribute.ClusterQueries;
import io.agentworkspace.engine.app.distribute.Distribution;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The command {@code distribute}: distributes the tables of tenants by tenant over the servers of a cluster, while no engine runs.
 * With {@code --undo} it moves them back, with {@code --dry-run} it only reports what it would do.
 */
record DistributeCommand(Settings settings) {
    static final String WORD = "distribute";

    private static final String DRY_RUN = "--dry-run";
    private static final String UNDO = "--undo";
    private static final String USAGE = "usage: distribute [--dry-run] [--undo] [<flags>]";
    private static final Set<String> OPTIONS = Set.of(DRY_RUN, UNDO);

    /** Returns the words with the options in front as words, where flags do not begin yet. */
    static List<String> words(List<String> commandLine) {
        if (commandLine.stream().anyMatch(word -> OPTIONS.contains("--" + word))) {
            throw new InvalidSetting(USAGE);
        }
        var words = new ArrayList<>(commandLine);
        words.removeAll(OPTIONS);
        OPTIONS.stream().filter(commandLine::contains).forEach(option -> words.addFirst(option.substring(2)));
        return words;
    }

    /**
     * @param words the words after {@code distribute} on the command line, without the flags
     * @return what was done, and 1 if something must be different before
     * @throws InvalidSetting if the words are not valid, or the database is the embedded one
     */
    Main.Printed run(List<String> words) {
        var isDryRun = words.contains(DRY_RUN.substring(2));
        var isUndo = words.contains(UNDO.substring(2));
        if (words.size() != (isDryRun ? 1 : 0) + (isUndo ? 1 : 0)) {
            throw new InvalidSetting(USAGE);
        }
        var url = settings.database().url();
        if (url == null) {
            throw new InvalidSetting(
                    "the embedded database is on one server: set ENGINE_DATABASE_URL to the coordinator of a cluster (docs/scale.md#many-primaries)");
        }
        var direct = settings.database().notifyUrl();
        try (var queries = ClusterQueries.begin(direct == null ? url : direct, null, null)) {
            var distribution = new Distribution(queries);
            if (isDryRun) {
                var plan = distribution.plan(isUndo);
                return new Main.Printed(plan.text(), plan.isReady() ? 0 : 1);
            }
            return Main.Printed.of(isUndo ? distribution.undo() : distribution.distribute());
        }
    }
}
