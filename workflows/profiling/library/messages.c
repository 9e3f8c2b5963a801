/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: messages, and waiting for requests. A received message has the size of the buffer that was offered. */
#include "wrap.h"

#define SEND(Name, operation)                                                                                          \
    WRAP(Name, (const void *buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm),                \
         (buffer, count, type, partner, tag, comm), operation, amount_of(count, type), processes_for(partner, comm))
SEND(Send, PROFILE_SEND)
SEND(Ssend, PROFILE_SSEND)
SEND(Bsend, PROFILE_BSEND)
SEND(Rsend, PROFILE_RSEND)

#define ISEND(Name, operation)                                                                                         \
    WRAP(                                                                                                              \
        Name,                                                                                                          \
        (const void *buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm, MPI_Request *request), \
        (buffer, count, type, partner, tag, comm, request), operation, amount_of(count, type),                         \
        processes_for(partner, comm))
ISEND(Isend, PROFILE_ISEND)
ISEND(Issend, PROFILE_ISSEND)
ISEND(Ibsend, PROFILE_IBSEND)
ISEND(Irsend, PROFILE_IRSEND)

WRAP(Recv, (void *buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm, MPI_Status *status),
     (buffer, count, type, partner, tag, comm, status), PROFILE_RECV, amount_of(count, type),
     processes_for(partner, comm))
WRAP(Irecv, (void *buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm, MPI_Request *request),
     (buffer, count, type, partner, tag, comm, request), PROFILE_IRECV, amount_of(count, type),
     processes_for(partner, comm))
WRAP(Mrecv, (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
     (buffer, count, type, message, status), PROFILE_MRECV, amount_of(count, type), 0)
WRAP(Imrecv, (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
     (buffer, count, type, message, request), PROFILE_IMRECV, amount_of(count, type), 0)
WRAP(Sendrecv,
     (const void *in, int sent, MPI_Datatype from, int partner, int tag, void *out, int got, MPI_Datatype to, int other,
      int tag_of, MPI_Comm comm, MPI_Status *status),
     (in, sent, from, partner, tag, out, got, to, other, tag_of, comm, status), PROFILE_SENDRECV, amount_of(sent, from),
     processes_for(partner, comm))
WRAP(Sendrecv_replace,
     (void *buffer, int count, MPI_Datatype type, int partner, int tag, int other, int tag_of, MPI_Comm comm,
      MPI_Status *status),
     (buffer, count, type, partner, tag, other, tag_of, comm, status), PROFILE_SENDRECV_REPLACE, amount_of(count, type),
     processes_for(partner, comm))

WRAP_PLAIN(Wait, (MPI_Request * request, MPI_Status *status), (request, status), PROFILE_WAIT)
WRAP_PLAIN(Waitall, (int count, MPI_Request requests[], MPI_Status *statuses), (count, requests, statuses),
           PROFILE_WAITALL)
WRAP_PLAIN(Waitany, (int count, MPI_Request requests[], int *which, MPI_Status *status),
           (count, requests, which, status), PROFILE_WAITANY)
WRAP_PLAIN(Waitsome, (int count, MPI_Request requests[], int *done, int which[], MPI_Status *statuses),
           (count, requests, done, which, statuses), PROFILE_WAITSOME)
WRAP_PLAIN(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), PROFILE_TEST)
WRAP_PLAIN(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status *statuses),
           (count, requests, flag, statuses), PROFILE_TESTALL)
WRAP_PLAIN(Testany, (int count, MPI_Request requests[], int *which, int *flag, MPI_Status *status),
           (count, requests, which, flag, status), PROFILE_TESTANY)
WRAP_PLAIN(Testsome, (int count, MPI_Request requests[], int *done, int which[], MPI_Status *statuses),
           (count, requests, done, which, statuses), PROFILE_TESTSOME)
WRAP_PLAIN(Probe, (int partner, int tag, MPI_Comm comm, MPI_Status *status), (partner, tag, comm, status),
           PROFILE_PROBE)
WRAP_PLAIN(Iprobe, (int partner, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
           (partner, tag, comm, flag, status), PROFILE_IPROBE)
WRAP_PLAIN(Mprobe, (int partner, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
           (partner, tag, comm, message, status), PROFILE_MPROBE)
WRAP_PLAIN(Improbe, (int partner, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
           (partner, tag, comm, flag, message, status), PROFILE_IMPROBE)
WRAP_PLAIN(Start, (MPI_Request * request), (request), PROFILE_START)
WRAP_PLAIN(Startall, (int count, MPI_Request requests[]), (count, requests), PROFILE_STARTALL)
