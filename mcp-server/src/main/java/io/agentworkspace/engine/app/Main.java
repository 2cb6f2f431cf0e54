package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.backup.Backup;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.app.settings.UnknownSettings;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.Security;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The process: reads its settings, starts the app, reports that it is ready, and stops it on SIGTERM or SIGINT.
 * Standard output contains only the first key and the ready line. Exit codes: 0 stopped as requested, 1 could not
 * start, 2 a setting is invalid.
 */
public final class Main {
    private final CompletableFuture<App> started = new CompletableFuture<>();
    private final Thread starter = Thread.currentThread();
    private volatile int exitCode;
    private volatile boolean isStopping;

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.ROOT); // Numbers and dates for machines are the same wherever the engine runs.
        forgetAddresses();
        List<String> commandLine = List.of(arguments);
        if (commandLine.contains("--help")) {
            System.out.print(Settings.help());
            return;
        }
        try {
            var rest = commandLine.isEmpty() ? commandLine : commandLine.subList(1, commandLine.size());
            switch (commandLine.isEmpty() ? "" : commandLine.getFirst()) {
                case TenantCommand.WORD ->
                    command(
                            rest,
                            (settings, words) -> Printed.of(new TenantCommand(settings, Clock.systemUTC())
                                    .run(words)
                                    .framed()));
                case SecretsCommand.WORD ->
                    command(rest, (settings, words) -> Printed.of(new SecretsCommand(settings).run(words)));
                case DoctorCommand.WORD ->
                    command(rest, (settings, words) -> new DoctorCommand(settings, Clock.systemUTC()).run(words));
                case BackupCommand.WORD ->
                    command(
                            BackupCommand.words(rest),
                            (settings, words) -> Printed.of(backup(settings).run(words)));
                case DistributeCommand.WORD ->
                    command(
                            DistributeCommand.words(rest),
                            (settings, words) -> new DistributeCommand(settings).run(words));
                case BundleCommand.WORD -> bundle(rest);
                // A key for ENGINE_BOOTSTRAP_KEY, since its checksum cannot be made by hand.
                case "key" ->
                    System.out.println(ApiKey.generate(new SecureRandom()).reveal());
                default -> new Main().run(Settings.read(System.getenv(), commandLine), System.out);
            }
        } catch (InvalidSetting e) {
            System.err.println("engine: " + e.getMessage());
            System.exit(2);
        }
    }

    /**
     * Turns off the JVM's cache of addresses, which lasts 30 s: a webhook's name is resolved at every attempt
     * (decisions, section 8).
     */
    private static void forgetAddresses() {
        Security.setProperty("networkaddress.cache.ttl", "0");
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
    }

    private static BackupCommand backup(Settings settings) {
        var path = System.getenv().getOrDefault("PATH", "");
        return new BackupCommand(settings, new Backup(path, App.VERSION, Clock.systemUTC(), Backup::folder));
    }

    /** Reads no settings before: one that is not valid may be what is reported. */
    private static void bundle(List<String> commandLine) {
        log(Settings.LogFormat.TEXT, null);
        var flags = flags(commandLine);
        var command =
                new BundleCommand(System.getenv(), commandLine.subList(flags, commandLine.size()), Clock.systemUTC());
        System.out.print(command.run(commandLine.subList(0, flags)));
    }

    /** Returns where the flags of a command begin. */
    private static int flags(List<String> words) {
        return (int) words.stream().takeWhile(word -> !word.startsWith("--")).count();
    }

    /** What a command prints, and the code that it exits with. */
    record Printed(String text, int code) {
        static Printed of(String text) {
            return new Printed(text, 0);
        }
    }

    private static void command(List<String> words, BiFunction<Settings, List<String>, Printed> work) {
        var flags = flags(words);
        var settings = Settings.read(System.getenv(), words.subList(flags, words.size()));
        log(settings.logFormat(), null);
        try {
            var printed = work.apply(settings, words.subList(0, flags));
            System.out.print(printed.text());
            if (printed.code() != 0) {
                System.exit(printed.code());
            }
        } catch (InvalidSetting e) {
            throw e;
        } catch (RuntimeException e) {
            refuse(settings, e);
            System.exit(1);
        }
    }

    private void run(Settings settings, PrintStream out) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop"));
        log(settings.logFormat(), settings.logFile());
        UnknownSettings.of(System.getenv().keySet())
                .forEach(stray -> LoggerFactory.getLogger(Main.class).warn(stray));
        try {
            App app = App.start(settings);
            app.firstKey().ifPresent(key -> out.print(key.framed()));
            out.println("ready " + app.baseUrl());
            out.flush();
            started.complete(app);
        } catch (RuntimeException | Error e) {
            exitCode = isStopping ? 0 : e instanceof InvalidSetting ? 2 : 1;
            started.completeExceptionally(e);
            if (!isStopping) {
                refuse(settings, e);
            }
            System.exit(exitCode);
        }
        new CountDownLatch(1).await();
    }

    /**
     * Reports a failed start. An expected failure is one line. Any other is a defect, and its line is followed by the
     * details.
     */
    private static void refuse(Settings settings, Throwable failure) {
        var line = new FailedStart(settings, failure).line();
        System.err.println("engine: " + line.orElseGet(() -> "cannot start, because of a defect: " + failure));
        if (line.isEmpty()) {
            LoggerFactory.getLogger(Main.class).error("cannot start", failure);
        }
    }

    /**
     * Runs in the only shutdown hook, and ends the process itself, since the JVM would exit with 143 or 130 after a
     * signal. A second signal in the meantime waits for this hook, that is, forever.
     */
    private void stop() {
        try {
            if (!started.isDone()) {
                isStopping = true;
                starter.interrupt(); // It may wait for its database.
            }
            started.get(10, TimeUnit.SECONDS).close();
        } catch (Exception e) {
            if (exitCode == 0 && !(isStopping && started.isCompletedExceptionally())) {
                LoggerFactory.getLogger(Main.class).warn("the engine did not stop cleanly; the next start recovers", e);
            }
        } finally {
            Runtime.getRuntime().halt(exitCode);
        }
    }

    /**
     * Sets the format of the log, and where it goes. Must run before the first logger is created, whose configuration reads
     * the properties.
     *
     * @param file null for standard error
     */
    public static void log(Settings.LogFormat format, @Nullable Path file) {
        var appender = format.name().toLowerCase(Locale.ROOT) + (file == null ? "" : "-file");
        System.setProperty("engine.log", appender);
        if (file != null) {
            System.setProperty("engine.log." + appender, file.toString());
        }
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }
}
