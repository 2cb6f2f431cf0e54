/** {@code ./engine backup}: {@code BackupFolder} contains a dump and what it must contain, and {@code Verification} restores it to compare both. */
@NullMarked
package io.agentworkspace.engine.app.backup;

import org.jspecify.annotations.NullMarked;
