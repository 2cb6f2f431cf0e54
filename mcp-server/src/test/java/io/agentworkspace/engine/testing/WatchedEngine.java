package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.app.Main;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.DatabaseClock;
import io.agentworkspace.engine.wire.Wire;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** {@link Main} with the validation of all messages, for a separate process. Its parent reads what is wrong. */
public final class WatchedEngine {
    private WatchedEngine() {}

    public static void main(String[] arguments) throws InterruptedException {
        var settings = Settings.read(System.getenv(), List.of(arguments));
        Main.log(settings.logFormat(), null);
        if (settings.database().url() == null) {
            PreparedDatabase.into(settings.database().dataDir());
        }
        var app = App.start(settings, new DatabaseClock(Clock.systemUTC()), Wire::new);
        Runtime.getRuntime().addShutdownHook(new Thread(app::close));
        app.firstKey().ifPresent(key -> System.out.print(key.framed()));
        System.out.println("ready " + app.baseUrl());
        new CountDownLatch(1).await();
    }
}
