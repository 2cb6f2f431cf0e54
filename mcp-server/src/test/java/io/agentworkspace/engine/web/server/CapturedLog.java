package io.agentworkspace.engine.web.server;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** Captures everything that is logged while it is open, by any thread. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    public CapturedLog() {
        setContext(root.getLoggerContext());
        start();
        root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }

    /** Returns the lines of the request log as their key-value pairs. */
    List<Map<String, Object>> requests() {
        return events.stream()
                .filter(event -> event.getMessage().equals("request"))
                .map(event -> event.getKeyValuePairs().stream()
                        .collect(Collectors.toMap(pair -> pair.key, pair -> pair.value)))
                .toList();
    }

    List<ILoggingEvent> failures() {
        return events.stream()
                .filter(event -> event.getThrowableProxy() != null)
                .toList();
    }

    /** Returns everything that could reach a log file. */
    public String text() {
        return events.stream()
                .map(event -> "%s %s %s %s %s"
                        .formatted(
                                event.getLoggerName(),
                                event.getFormattedMessage(),
                                event.getKeyValuePairs(),
                                event.getMDCPropertyMap(),
                                event.getThrowableProxy() == null
                                        ? ""
                                        : ThrowableProxyUtil.asString(event.getThrowableProxy())))
                .collect(Collectors.joining("\n"));
    }
}
