package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.backup.BackupFailure;
import io.agentworkspace.engine.app.distribute.DistributeFailure;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.embedded.PostgresFailure;
import io.agentworkspace.engine.kernel.secrets.SecretsFailure;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A start that failed, with the line that reports what was wrong and what would be right. */
record FailedStart(Settings settings, Throwable failure) {

    /** Returns the line, without its end; empty for an unexpected failure. */
    Optional<String> line() {
        return Stream.<@Nullable Throwable>iterate(
                        failure, Objects::nonNull, cause -> cause == null ? null : cause.getCause())
                .map(Objects::requireNonNull)
                .flatMap(cause -> line(cause).stream())
                .findFirst()
                .map(line -> line.strip().replaceAll("\\s*\\R\\s*", " "));
    }

    private Optional<String> line(Throwable cause) {
        return Optional.ofNullable(
                switch (cause) {
                    case InvalidSetting e -> e.getMessage();
                    case BackupFailure e -> e.getMessage();
                    case DistributeFailure e -> e.getMessage();
                    case PostgresFailure e -> e.getMessage();
                    case SecretsFailure e -> e.getMessage();
                    case DatabaseFailure e -> e.getMessage() + whereItIs();
                    case SqlFailure e
                    when DatabaseFailure.isOtherSession(e) ->
                        DatabaseFailure.lostNotifications(e).getMessage() + whereItIs();
                    case Problem e -> e.note() + whereItIs();
                    case BindException e -> cannotListen(e.getMessage(), "another program may be using it");
                    case SocketException e -> cannotListen(e.getMessage(), "the engine may lack the permission");
                    case UnknownHostException _, UnresolvedAddressException _ ->
                        cannotListen("no such host", "ENGINE_HOST must be an address of this machine");
                    case IOException e when e.getCause() == null -> "cannot read or write a file: " + e.getMessage();
                    default -> null;
                });
    }

    private String cannotListen(@Nullable String reason, String guess) {
        return "cannot listen on %s port %d (%s): %s. Choose another port with ENGINE_PORT; 0 means any free port"
                .formatted(settings.http().host(), settings.http().port(), reason, guess);
    }

    private String whereItIs() {
        return settings.database().url() == null
                ? " (the log of the embedded database: %s)"
                        .formatted(settings.database().dataDir().resolve("postgres.log"))
                : " (the database of ENGINE_DATABASE_URL)";
    }
}
