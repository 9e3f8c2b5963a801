/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * order.c: writes the name of each MPI call, in order, to a file of the process
 * in the folder $ORDER; preloaded.
 *
 * hooks.h has a line HOOK(Name) for each MPI_Name that the program under test
 * imports: nothing that it calls is missed, whatever its arguments, since each
 * is jumped over to PMPI_Name with registers and stack as they came.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void order_note(const char *name);

void order_note(const char *name) {
  static int file = -1;
  char line[128];
  if (file < 0) {
    snprintf(line, sizeof line, "%s/%d", getenv("ORDER"), (int)getpid());
    file = open(line, O_CREAT | O_WRONLY | O_APPEND, 0644);
  }
  snprintf(line, sizeof line, "%s\n", name);
  if (write(file, line, strlen(line)) < 0)
    abort();
}

#define HOOK(name)                                                             \
  __asm__(".section .rodata\n"                                                 \
          "order_" #name ": .string \"MPI_" #name "\"\n"                       \
          ".text\n"                                                            \
          ".globl MPI_" #name "\n"                                             \
          ".type MPI_" #name ", @function\n"                                   \
          "MPI_" #name ":\n"                                                   \
          "push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push "   \
          "%r9\n sub $8, %rsp\n"                                               \
          "lea order_" #name "(%rip), %rdi\n"                                  \
          "call order_note@PLT\n"                                              \
          "add $8, %rsp\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop "      \
          "%rsi\n pop %rdi\n"                                                  \
          "jmp *PMPI_" #name "@GOTPCREL(%rip)\n");

#include "hooks.h"
