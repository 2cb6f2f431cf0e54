package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.app.setup.Checkup;
import io.agentworkspace.engine.app.setup.FigureChecks;
import io.agentworkspace.engine.app.setup.Finding;
import io.agentworkspace.engine.app.setup.RunningEngine;
import io.agentworkspace.engine.app.setup.SetupQueries;
import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.embedded.PostgresFailure;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The command {@code doctor}: checks a set-up. It works beside a running engine, and starts the embedded database if it is
 * not running, as a start of the engine would.
 */
record DoctorCommand(Settings settings, Clock clock) {
    static final String WORD = "doctor";

    /**
     * Returns what was found, a line for each check, and the exit code: 1 if a check failed.
     *
     * @param words the words after {@code doctor} on the command line, without the flags
     * @throws InvalidSetting if there are any
     */
    Main.Printed run(List<String> words) {
        if (!words.isEmpty()) {
            throw new InvalidSetting("usage: doctor [<flags>]");
        }
        return printed(check(new Checkup(settings, App.VERSION, clock), DatabaseSource::with));
    }

    /** Returns the same without starting a database. */
    String besideTheEngine() {
        return printed(check(new Checkup(settings, App.VERSION, clock), DoctorCommand::withRunning))
                .text();
    }

    private static List<Finding> withRunning(Settings settings, Function<DatabaseSource, List<Finding>> work) {
        return DatabaseSource.running(settings)
                .map(work)
                .orElseGet(() -> List.of(Finding.note("database", "the embedded one is not running")));
    }

    private static Main.Printed printed(List<Finding> findings) {
        var isWrong = findings.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL);
        return new Main.Printed(findings.stream().map(Finding::line).collect(Collectors.joining()), isWrong ? 1 : 0);
    }

    private List<Finding> check(
            Checkup checkup, BiFunction<Settings, Function<DatabaseSource, List<Finding>>, List<Finding>> with) {
        var findings = new ArrayList<>(checkup.machine());
        try {
            findings.addAll(with.apply(settings, source -> database(checkup, source)));
        } catch (PostgresFailure e) {
            findings.add(checkup.databaseFailure(e));
        }
        try {
            findings.addAll(checkup.addresses());
            findings.addAll(new FigureChecks(new RunningEngine(settings)).run());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return findings;
    }

    private List<Finding> database(Checkup checkup, DatabaseSource source) {
        var findings = new ArrayList<>(
                checkup.database(new SetupQueries(source.url(), source.user(), source.password(), source.direct())));
        if (findings.stream().noneMatch(finding -> finding.level() == Finding.Level.FAIL)) {
            findings.add(connection(source));
        }
        return findings;
    }

    /** Connects as the engine does. */
    private Finding connection(DatabaseSource source) {
        try (var db = source.open(1, settings.database().timeout())) {
            db.awaitConnection();
            return Finding.ok("settings", "a connection keeps those that the engine makes");
        } catch (DatabaseFailure e) {
            return Finding.fail("settings", "%s", String.valueOf(e.getMessage()));
        }
    }
}
