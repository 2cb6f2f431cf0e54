package io.agentworkspace.engine.workspace.delivery.edits;

import io.agentworkspace.engine.workspace.reservations.PathForm;
import java.util.ArrayDeque;
import java.util.regex.Pattern;

/**
 * Paths as the client's system writes them, in one form: {@code /} between names, drives as {@code /c/}, no {@code .} and
 * {@code ..}, composed characters, and without what macOS puts before the folders that it links: {@code /private} and {@code /System/Volumes/Data}.
 */
final class ClientPath {
    /** The longest path of any system. Longer ones name no file. */
    static final int LONGEST = 4_096;

    private static final Pattern DRIVE = Pattern.compile("^([A-Za-z]):(?=[/\\\\])");
    private static final Pattern DEVICE =
            Pattern.compile("^[/\\\\]{2}[?.][/\\\\](?:(UNC)(?=[/\\\\]))?", Pattern.CASE_INSENSITIVE);
    private static final Pattern OTHER_DRIVE = Pattern.compile("^/(?:cygdrive|mnt)/([A-Za-z])(?=/|$)");
    private static final Pattern SHORT_DRIVE = Pattern.compile("^/([A-Z])(?=/)");
    private static final Pattern PRIVATE =
            Pattern.compile("^(?:/System/Volumes/Data(?=/))?(?:/private(?=/(?:tmp|var|etc)(?:/|$)))?");
    private static final Pattern WINDOWS =
            Pattern.compile("^(?:[A-Za-z]:[/\\\\]|[/\\\\]{2}|/cygdrive/|/[A-Za-z]/|/mnt/[A-Za-z]/).*", Pattern.DOTALL);
    private static final Pattern MAC =
            Pattern.compile("^/(?:Users|Volumes|private|System|Applications|var/folders)/.*", Pattern.DOTALL);

    private ClientPath() {}

    /** Returns whether the path is one of a Windows system. */
    static boolean isOfWindows(String path) {
        return WINDOWS.matcher(path).matches();
    }

    /** Returns whether the path is one of macOS. */
    static boolean isOfMac(String path) {
        return MAC.matcher(path).matches();
    }

    /** @param isWindows whether a backslash is between names */
    static String plain(String path, boolean isWindows) {
        var text = DEVICE.matcher(path).replaceFirst(found -> found.group(1) == null ? "" : "/");
        text = DRIVE.matcher(text).replaceFirst("/$1");
        text = isWindows ? text.replace('\\', '/') : text;
        text = OTHER_DRIVE.matcher(text).replaceFirst("/$1");
        text = SHORT_DRIVE.matcher(text).replaceFirst("/$1");
        return PathForm.composed(PRIVATE.matcher(text).replaceFirst(""));
    }

    static boolean isAbsolute(String path) {
        return path.startsWith("/");
    }

    /** Returns the path without {@code .} and {@code ..}; what leaves the beginning of a relative one stays there. */
    static String normal(String path) {
        var names = new ArrayDeque<String>();
        for (var name : path.split("/")) {
            if (name.equals("..") && !names.isEmpty() && !names.getLast().equals("..")) {
                names.removeLast();
            } else if (name.equals("..") && isAbsolute(path)) {
                continue;
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        return (isAbsolute(path) ? "/" : "") + String.join("/", names);
    }

    static String resolved(String folder, String path) {
        return normal(isAbsolute(path) || folder.isEmpty() ? path : folder + "/" + path);
    }

    /** Returns whether a folder is another one or contains it. */
    static boolean contains(String folder, String path, boolean ignoresCase) {
        var end = folder.equals("/") ? 0 : folder.length();
        return path.regionMatches(ignoresCase, 0, folder, 0, end) && (path.length() == end || path.charAt(end) == '/');
    }
}
