/** Memory banks: memories, permissions, loading, censorship, the trash. */
@NullMarked
package io.agentworkspace.engine.banks;

import org.jspecify.annotations.NullMarked;
